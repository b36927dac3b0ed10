import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  getDocumentContent,
  getIngestionStatus,
  listDocuments,
  listKnowledgeBases,
  type RequestInput,
} from '@lectern/contracts';
import type { Corpus } from './corpus.js';
import { describeOnBackends, openFixture, type Fixture } from './fixture.js';

const emoji = '🧑‍🚀é汉字🎉 plain text, 𠮷野家。\r\n';
const long = emoji.repeat(40);

describeOnBackends('the reads of documents', (open) => {
  let fixture: Fixture;
  let corpus: Corpus;
  let base: string;
  let document: string;
  let waiting: string;

  beforeAll(async () => {
    fixture = await openFixture(open);
    corpus = await fixture.corpus('one');
    base = await corpus.addKnowledgeBase('handbook');
    document = await corpus.addDocument(base, { title: 'long.txt', text: long, segmentLength: 101 });
    for (const title of ['b.txt', 'c.txt', 'd.txt']) await corpus.addDocument(base, { title, text: title });
    waiting = await corpus.addDocument(base, { title: 'e.txt', text: 'later', state: 'queued' });
  });
  afterAll(() => fixture.close());

  const content = (input: Omit<RequestInput<typeof getDocumentContent>, 'documentId'>) =>
    fixture.call(corpus.tenantId, getDocumentContent, { documentId: document, ...input });

  it('lists knowledge bases with their documents counted, newest first', async () => {
    const newer = await corpus.addKnowledgeBase('newer');
    const { items } = await fixture.call(corpus.tenantId, listKnowledgeBases, {});
    expect(items.map(({ id, name, documentCount }) => ({ id, name, documentCount }))).toEqual([
      { id: newer, name: 'newer', documentCount: 0 },
      { id: base, name: 'handbook', documentCount: 5 },
    ]);
  });

  it.each([1, 2, 5, 50])('pages through documents %d at a time without losing or repeating one', async (limit) => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await fixture.call(corpus.tenantId, listDocuments, { limit, ...(cursor ? { cursor } : {}) });
      expect(page.items.length).toBeGreaterThan(0);
      seen.push(...page.items.map((item) => item.title));
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen).toEqual(['e.txt', 'd.txt', 'c.txt', 'b.txt', 'long.txt']);
  });

  it('refuses a cursor that it did not give', async () => {
    const { nextCursor } = await fixture.call(corpus.tenantId, listDocuments, { limit: 1 });
    for (const cursor of ['bm9uc2Vuc2U', `${nextCursor}x`, `A${nextCursor?.slice(1)}`]) {
      expect((await fixture.refusal(corpus.tenantId, listDocuments, { cursor })).code).toBe('invalid_request');
    }
  });

  it('lists the documents of one state and one knowledge base', async () => {
    const filter = { status: 'queued', knowledgeBaseId: base } as const;
    const { items } = await fixture.call(corpus.tenantId, listDocuments, filter);
    expect(items).toMatchObject([{ id: waiting, status: 'queued', chunkCount: 0, charCount: 0 }]);
  });

  it.each([1, 2, 7, 100, 101, 103, 8000])(
    'gives the whole text %d code units at a time, no character cut',
    async (limit) => {
      let text = '';
      for (let offset: number | undefined = 0; offset !== undefined;) {
        const part: { text: string; offset: number; nextOffset?: number | undefined } = await content({
          offset,
          limit,
        });
        expect(part.offset).toBe(text.length);
        expect(part.text.isWellFormed()).toBe(true);
        text += part.text;
        offset = part.nextOffset;
      }
      expect(text).toBe(long);
    },
  );

  it('starts at the beginning of a character that an offset points into, and says so', async () => {
    const inside = long.indexOf('🎉') + 1;
    const part = await content({ offset: inside, limit: 4 });
    expect(part).toMatchObject({
      offset: inside - 1,
      text: long.slice(inside - 1, inside + 3),
      nextOffset: inside + 3,
    });
  });

  it('gives an empty end past the text', async () => {
    for (const offset of [long.length, long.length + 1, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      expect(await content({ offset })).toEqual({
        documentId: document,
        title: 'long.txt',
        text: '',
        offset: long.length,
        totalLength: long.length,
      });
    }
  });

  it('says of a document without text how to follow it', async () => {
    const error = await fixture.refusal(corpus.tenantId, getDocumentContent, { documentId: waiting });
    expect(error).toMatchObject({ code: 'conflict', safeMessage: expect.stringContaining('get_ingestion_status') });
  });

  it('gives the status of a document and of its job alike', async () => {
    const byDocument = await fixture.call(corpus.tenantId, getIngestionStatus, { documentId: waiting });
    expect(byDocument).toMatchObject({ documentId: waiting, knowledgeBaseId: base, status: 'queued', chunksTotal: 0 });
    expect(byDocument).not.toHaveProperty('stage');
    expect(await fixture.call(corpus.tenantId, getIngestionStatus, { jobId: byDocument.jobId })).toEqual(byDocument);
  });

  it('wants exactly one id for a status', async () => {
    const { jobId } = await fixture.call(corpus.tenantId, getIngestionStatus, { documentId: waiting });
    for (const input of [{}, { jobId, documentId: waiting }]) {
      expect((await fixture.refusal(corpus.tenantId, getIngestionStatus, input)).code).toBe('invalid_request');
    }
  });
});
