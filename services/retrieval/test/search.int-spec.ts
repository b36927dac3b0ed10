import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  getDocumentContent,
  getIngestionStatus,
  listDocuments,
  listKnowledgeBases,
  searchChunks,
  type RequestInput,
  type ServiceError,
} from '@lectern/contracts';
import { newId, type Database } from '@lectern/database';
import { testCaller } from '@lectern/testing';
import { backends, insertDocument, insertKnowledgeBase, openFixture, type Fixture } from './fixture.js';

const texts = {
  backup: '备份嵌入模式时，先停止服务，再复制整个数据目录。恢复时把目录放回原处。🧑‍🚀 é',
  queue: 'The error code ERR_QUEUE_FULL means that the ingestion queue is full. Scale the workers first.',
  leave: 'Annual leave is fifteen days. 年假十五天，病假需要在当天上午十点之前告知组长。',
};

describe.each(Object.entries(backends))('retrieval on %s', (_name, open) => {
  let fixture: Fixture;
  let ingestion: Database;
  let tenant: string;
  let stranger: string;
  let knowledgeBaseId: string;
  const documents: Record<string, string> = {};

  beforeAll(async () => {
    fixture = await openFixture(open);
    ingestion = fixture.backend.database('ingestion');
    tenant = await fixture.backend.createTenant('one');
    stranger = await fixture.backend.createTenant('two');
    knowledgeBaseId = await insertKnowledgeBase(ingestion, tenant, 'handbook');
    for (const [name, text] of Object.entries(texts)) {
      documents[name] = await insertDocument(ingestion, tenant, knowledgeBaseId, { title: `${name}.txt`, text });
    }
    await insertDocument(ingestion, tenant, knowledgeBaseId, {
      title: 'later.txt',
      text: 'ERR_QUEUE_FULL again',
      published: false,
    });
    await ingestion.withTenant(tenant, (transaction) => transaction.query('SELECT recount_lexical_terms()'));
  });
  afterAll(() => fixture.close());

  const search = (input: RequestInput<typeof searchChunks>, owner = tenant) =>
    fixture.client.call(searchChunks, input, { caller: testCaller(owner) });
  const failure = (work: Promise<unknown>): Promise<ServiceError> =>
    work.then(
      () => Promise.reject(new Error('it did not fail')),
      (error: ServiceError) => error,
    );

  it('finds a Chinese passage, with a citation that slices back to it', async () => {
    const { hits, exhaustive, scope } = await search({ query: '怎样备份数据目录？' });
    expect(hits[0]).toMatchObject({ rank: 1, documentTitle: 'backup.txt', documentId: documents.backup });
    const { startOffset, endOffset } = hits[0]!.citation;
    expect(texts.backup.slice(startOffset, endOffset)).toBe(hits[0]?.content);
    expect(exhaustive).toBe('exact');
    expect(scope.knowledgeBaseIds).toEqual([knowledgeBaseId]);
  });

  it('finds an identifier by its letters, whatever its meaning', async () => {
    const { hits } = await search({ query: 'ERR_QUEUE_FULL', topK: 1 });
    expect(hits[0]?.documentTitle).toBe('queue.txt');
  });

  it('never shows a version that is not published', async () => {
    const { hits } = await search({ query: 'ERR_QUEUE_FULL again', topK: 20 });
    expect(hits.map((hit) => hit.documentTitle)).not.toContain('later.txt');
  });

  it('answers with every passage that matches, up to topK', async () => {
    const { hits, filteredByThreshold } = await search({ query: '年假 leave queue 备份', topK: 20 });
    expect(hits.length + filteredByThreshold).toBe(3);
    expect(hits.map((hit) => hit.rank)).toEqual(hits.map((_, index) => index + 1));
  });

  it('searches one document alone when asked', async () => {
    const { hits, scope } = await search({ query: '备份 leave queue', documentId: documents.leave!, topK: 20 });
    expect(new Set(hits.map((hit) => hit.documentId))).toEqual(new Set([documents.leave]));
    expect(scope.documentId).toBe(documents.leave);
  });

  it.each(['', '的', '？！…', '🧑‍🚀🎉', "'; DROP TABLE chunks; --", 'a & b | !c <-> d:*', '汉'.repeat(8192)])(
    'takes any question: %j',
    async (query) => {
      if (query === '') expect((await failure(search({ query }))).code).toBe('invalid_request');
      else expect((await search({ query })).exhaustive).toBe('exact');
    },
  );

  it('finds nothing where nothing is', async () => {
    const empty = await insertKnowledgeBase(ingestion, tenant, 'empty');
    const result = await search({ query: 'anything', knowledgeBaseId: empty });
    expect(result).toEqual({
      hits: [],
      filteredByThreshold: 0,
      scope: { knowledgeBaseIds: [empty] },
      exhaustive: 'exact',
    });
  });

  it('answers a foreign id byte for byte as an unknown one', async () => {
    const unknown = newId();
    const calls = [
      (id: string) => search({ query: 'x', knowledgeBaseId: id }, stranger),
      (id: string) => search({ query: 'x', documentId: id }, stranger),
      (id: string) => fixture.client.call(listDocuments, { knowledgeBaseId: id }, { caller: testCaller(stranger) }),
      (id: string) => fixture.client.call(getDocumentContent, { documentId: id }, { caller: testCaller(stranger) }),
      (id: string) => fixture.client.call(getIngestionStatus, { documentId: id }, { caller: testCaller(stranger) }),
      (id: string) => fixture.client.call(getIngestionStatus, { jobId: id }, { caller: testCaller(stranger) }),
    ];
    for (const call of calls) {
      for (const id of [knowledgeBaseId, documents.backup!]) {
        const [foreign, none] = [await failure(call(id)), await failure(call(unknown))];
        expect(foreign.code).toBe('not_found');
        expect(JSON.stringify(foreign.toWire()).replaceAll(id, '')).toBe(
          JSON.stringify(none.toWire()).replaceAll(unknown, ''),
        );
      }
    }
    expect(await search({ query: '备份' }, stranger)).toMatchObject({ hits: [], scope: { knowledgeBaseIds: [] } });
    const listed = await fixture.client.call(listDocuments, {}, { caller: testCaller(stranger) });
    expect(listed.items).toEqual([]);
  });

  it('lists knowledge bases with their documents counted', async () => {
    const { items } = await fixture.client.call(listKnowledgeBases, {}, { caller: testCaller(tenant) });
    expect(items.find((item) => item.id === knowledgeBaseId)).toMatchObject({ name: 'handbook', documentCount: 4 });
  });

  it('pages through documents without losing or repeating one', async () => {
    const caller = testCaller(tenant);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await fixture.client.call(listDocuments, { limit: 1, ...(cursor ? { cursor } : {}) }, { caller });
      seen.push(...page.items.map((item) => item.title));
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen).toEqual(['later.txt', 'leave.txt', 'queue.txt', 'backup.txt']);
    const forged = fixture.client.call(listDocuments, { cursor: 'bm9uc2Vuc2U' }, { caller });
    expect((await failure(forged)).code).toBe('invalid_request');
  });

  it('gives text by UTF-16 offsets and cuts no character', async () => {
    const caller = testCaller(tenant);
    const whole = await fixture.client.call(getDocumentContent, { documentId: documents.backup! }, { caller });
    expect(whole).toMatchObject({ text: texts.backup, totalLength: texts.backup.length });
    expect(whole.nextOffset).toBeUndefined();
    let text = '';
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const part: { text: string; nextOffset?: number | undefined } = await fixture.client.call(
        getDocumentContent,
        { documentId: documents.backup!, offset, limit: 7 },
        { caller },
      );
      expect(part.text.isWellFormed()).toBe(true);
      text += part.text;
      offset = part.nextOffset;
    }
    expect(text).toBe(texts.backup);
  });

  it('says that a document without text has none yet', async () => {
    const { items } = await fixture.client.call(
      listDocuments,
      { status: 'processing' },
      { caller: testCaller(tenant) },
    );
    const error = await failure(
      fixture.client.call(getDocumentContent, { documentId: items[0]!.id }, { caller: testCaller(tenant) }),
    );
    expect(error).toMatchObject({ code: 'conflict', safeMessage: expect.stringContaining('get_ingestion_status') });
  });

  it('wants exactly one id for a status', async () => {
    const status = (input: RequestInput<typeof getIngestionStatus>) =>
      fixture.client.call(getIngestionStatus, input, { caller: testCaller(tenant) });
    expect((await failure(status({}))).code).toBe('invalid_request');
    expect(await status({ documentId: documents.leave! })).toMatchObject({
      status: 'ready',
      documentId: documents.leave,
    });
  });
});
