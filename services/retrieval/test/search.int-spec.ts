import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { searchChunks, type RequestInput } from '@lectern/contracts';
import { newId } from '@lectern/database';
import type { Corpus } from './corpus.js';
import { otherModel } from './fake-embedding.controller.js';
import { describeOnBackends, openFixture, type Fixture } from './fixture.js';

const texts = {
  backup: '备份嵌入模式时，先停止服务，再复制整个数据目录。恢复时把目录放回原处。🧑‍🚀 é',
  queue: 'The error code ERR_QUEUE_FULL means that the ingestion queue is full. Scale the workers first.',
  leave: 'Annual leave is fifteen days. 年假十五天，病假需要在当天上午十点之前告知组长。',
};

/** As many different Chinese characters as a question may be long. */
const pasted = Array.from({ length: 8192 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('');

describeOnBackends('search_chunks', (open) => {
  let fixture: Fixture;
  let corpus: Corpus;
  let handbook: string;
  const documents: Record<string, string> = {};

  beforeAll(async () => {
    fixture = await openFixture(open);
    corpus = await fixture.corpus('one');
    handbook = await corpus.addKnowledgeBase('handbook');
    for (const [name, text] of Object.entries(texts)) {
      documents[name] = await corpus.addDocument(handbook, { title: `${name}.txt`, text });
    }
    await corpus.addDocument(handbook, { title: 'later.txt', text: 'ERR_QUEUE_FULL again', state: 'processing' });
    await corpus.recount();
  });
  afterAll(() => fixture.close());

  const search = (input: RequestInput<typeof searchChunks>) => fixture.call(corpus.tenantId, searchChunks, input);
  const titles = async (input: RequestInput<typeof searchChunks>) =>
    (await search(input)).hits.map((hit) => hit.documentTitle);

  it('finds a Chinese passage, with a citation that slices back to it', async () => {
    const { hits, exhaustive, scope } = await search({ query: '怎样备份数据目录？' });
    expect(hits[0]).toMatchObject({ rank: 1, documentTitle: 'backup.txt', documentId: documents.backup });
    const { startOffset, endOffset } = hits[0]!.citation;
    expect(texts.backup.slice(startOffset, endOffset)).toBe(hits[0]?.content);
    expect(exhaustive).toBe('exact');
    expect(scope).toEqual({ knowledgeBaseIds: [handbook] });
  });

  it('finds an identifier by its letters, whatever its meaning', async () => {
    expect(await titles({ query: 'ERR_QUEUE_FULL', topK: 1 })).toEqual(['queue.txt']);
  });

  it('keeps both halves of a mixed question', async () => {
    expect(new Set(await titles({ query: '病假 ERR_QUEUE_FULL', topK: 2 }))).toEqual(
      new Set(['leave.txt', 'queue.txt']),
    );
  });

  it('gives the same answer to the same question', async () => {
    const once = await search({ query: 'days 目录 queue', topK: 20 });
    expect(await search({ query: 'days 目录 queue', topK: 20 })).toEqual(once);
  });

  it('answers with every passage of the scope, best first, or counts it as cut', async () => {
    const { hits, filteredByThreshold } = await search({ query: '年假 leave queue 备份', topK: 20 });
    expect(hits.length + filteredByThreshold).toBe(3);
    expect(hits.map((hit) => hit.rank)).toEqual(hits.map((_, index) => index + 1));
    expect(hits.map((hit) => hit.score)).toEqual(hits.map((hit) => hit.score).toSorted((a, b) => b - a));
  });

  it('cuts what neither means nor says anything of the question, and counts it', async () => {
    const strict = await fixture.corpus('strict');
    const base = await strict.addKnowledgeBase('base', { ...otherModel, revision: '3', minSimilarity: 0.999 });
    for (const [name, text] of Object.entries(texts)) await strict.addDocument(base, { title: name, text });
    const ask = async (query: string, topK: number) => {
      const { hits, filteredByThreshold } = await fixture.call(strict.tenantId, searchChunks, { query, topK });
      return { titles: hits.map((hit) => hit.documentTitle), filteredByThreshold };
    };
    expect(await ask('zzqx', 20)).toEqual({ titles: [], filteredByThreshold: 3 });
    expect(await ask('zzqx', 2)).toEqual({ titles: [], filteredByThreshold: 2 });
    expect(await ask('ERR_QUEUE_FULL', 20)).toEqual({ titles: ['queue'], filteredByThreshold: 2 });
  });

  it('searches one document alone when asked', async () => {
    const { hits, scope } = await search({ query: '备份 leave queue', documentId: documents.leave!, topK: 20 });
    expect(hits.map((hit) => hit.documentId)).toEqual([documents.leave]);
    expect(scope).toEqual({ knowledgeBaseIds: [handbook], documentId: documents.leave });
  });

  it('does not find a document in a knowledge base where it is not', async () => {
    const elsewhere = await corpus.addKnowledgeBase('elsewhere');
    const input = { query: 'x', documentId: documents.leave!, knowledgeBaseId: elsewhere };
    expect((await fixture.refusal(corpus.tenantId, searchChunks, input)).code).toBe('not_found');
  });

  it.each([
    ['a stop word', '的'],
    ['pictures', '🧑‍🚀🎉'],
    ['half a character in a word', 'a\ud83d'],
    ['a null character in a word', 'back\0up'],
    ['SQL', "'; DROP TABLE chunks; --"],
    ['operators of a query language', 'a & b | !c <-> d:*'],
    ['a pasted page', pasted],
  ])('takes %s as a question', async (_what, query) => {
    expect((await search({ query })).exhaustive).toBe('exact');
  });

  it.each(['', ' ', '？！…', '\ud83d', '\0'])('takes no question that says nothing: %j', async (query) => {
    fixture.embedding.asked.length = 0;
    expect((await fixture.refusal(corpus.tenantId, searchChunks, { query })).code).toBe('invalid_request');
    expect(fixture.embedding.asked).toEqual([]);
  });

  it('finds nothing where nothing is, without asking for a vector', async () => {
    const empty = await corpus.addKnowledgeBase('empty');
    fixture.embedding.asked.length = 0;
    const result = await search({ query: 'anything', knowledgeBaseId: empty });
    expect(result).toEqual({
      hits: [],
      filteredByThreshold: 0,
      scope: { knowledgeBaseIds: [empty] },
      exhaustive: 'exact',
    });
    expect(fixture.embedding.asked).toEqual([]);
  });

  it('says that it is unavailable rather than search by words alone', async () => {
    fixture.embedding.down = true;
    const error = await fixture.refusal(corpus.tenantId, searchChunks, { query: 'ERR_QUEUE_FULL' });
    fixture.embedding.down = false;
    expect(error).toMatchObject({ code: 'unavailable', retryAfterMs: 1_000 });
  });

  it('never shows a version that is not published, and the new one from the moment it is', async () => {
    const fresh = await fixture.corpus('versions');
    const base = await fresh.addKnowledgeBase('base');
    const document = { title: 'rules.txt', text: 'The old rule: badge required.' };
    const id = await fresh.addDocument(base, document);
    const newer = { ...document, text: 'The new rule: badge optional.' };
    const contents = async () => {
      const { hits } = await fixture.call(fresh.tenantId, searchChunks, { query: 'rule badge', topK: 20 });
      return hits.map((hit) => hit.content);
    };
    await fresh.addVersion({ id, knowledgeBaseId: base, version: 2 }, newer);
    expect(await contents()).toEqual([document.text]);
    await fresh.publish(id, 2, newer.text);
    expect(await contents()).toEqual([newer.text]);
    await fresh.deleteDocument(id);
    expect(await contents()).toEqual([]);
  });

  it('merges the passages of several embedding spaces and embeds the question once for each', async () => {
    const mixed = await fixture.corpus('spaces');
    const bases = [await mixed.addKnowledgeBase('first'), await mixed.addKnowledgeBase('second', otherModel)];
    await mixed.addDocument(bases[0]!, { title: 'first.txt', text: texts.backup });
    await mixed.addDocument(bases[1]!, { title: 'second.txt', text: texts.backup });
    await mixed.addDocument(bases[1]!, { title: 'third.txt', text: texts.queue });
    fixture.embedding.asked.length = 0;
    const { hits, scope } = await fixture.call(mixed.tenantId, searchChunks, { query: '复制整个数据目录', topK: 3 });
    expect(
      hits
        .slice(0, 2)
        .map((hit) => hit.documentTitle)
        .toSorted(),
    ).toEqual(['first.txt', 'second.txt']);
    expect(hits.map((hit) => hit.score)).toEqual(hits.map((hit) => hit.score).toSorted((a, b) => b - a));
    expect(scope.knowledgeBaseIds.toSorted()).toEqual(bases.toSorted());
    expect(fixture.embedding.asked.map((request) => request.model.revision).toSorted()).toEqual(['1', '2']);
  });

  it('gives headings apart from the passage', async () => {
    const text = '# 手册\n\n## 备份\n\n先停止服务。\n\n## 恢复\n\n把目录放回原处。\n';
    const base = await corpus.addKnowledgeBase('headings');
    await corpus.addDocument(base, { title: 'manual.md', text, contentType: 'md' });
    const { hits } = await search({ query: '放回原处', knowledgeBaseId: base });
    for (const { citation, content } of hits) {
      expect(citation.headingPath[0]).toBe('手册');
      expect(text.slice(citation.startOffset, citation.endOffset)).toBe(content);
    }
    expect(hits.length).toBeGreaterThan(0);
  });

  it('answers an unknown scope with not_found', async () => {
    for (const scope of [{ knowledgeBaseId: newId() }, { documentId: newId() }]) {
      const error = await fixture.refusal(corpus.tenantId, searchChunks, { query: 'x', ...scope });
      expect(error.code).toBe('not_found');
    }
  });
});
