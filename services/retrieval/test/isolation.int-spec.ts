import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  getDocumentContent,
  getIngestionStatus,
  listDocuments,
  listKnowledgeBases,
  searchChunks,
  type ServiceError,
} from '@lectern/contracts';
import { newId } from '@lectern/database';
import type { Corpus } from './corpus.js';
import { describeOnBackends, openFixture, type Fixture } from './fixture.js';

const secret = 'The vault code is 4711-KESTREL.';

describeOnBackends('a tenant', (open) => {
  let fixture: Fixture;
  let owner: Corpus;
  let stranger: Corpus;
  const foreign = { knowledgeBaseId: '', documentId: '', jobId: '' };

  beforeAll(async () => {
    fixture = await openFixture(open);
    owner = await fixture.corpus('owner');
    stranger = await fixture.corpus('stranger');
    foreign.knowledgeBaseId = await owner.addKnowledgeBase('vault');
    foreign.documentId = await owner.addDocument(foreign.knowledgeBaseId, { title: 'vault.txt', text: secret });
    const { jobId } = await fixture.call(owner.tenantId, getIngestionStatus, { documentId: foreign.documentId });
    foreign.jobId = jobId;
    // In the same space, hence the same tables.
    const base = await stranger.addKnowledgeBase('mine');
    await stranger.addDocument(base, { title: 'mine.txt', text: 'Nothing of interest.' });
  });
  afterAll(() => fixture.close());

  const refusals: Record<string, (id: string) => Promise<ServiceError>> = {
    'a search in a knowledge base': (knowledgeBaseId) =>
      fixture.refusal(stranger.tenantId, searchChunks, { query: secret, knowledgeBaseId }),
    'a search in a document': (documentId) =>
      fixture.refusal(stranger.tenantId, searchChunks, { query: secret, documentId }),
    'the list of documents': (knowledgeBaseId) =>
      fixture.refusal(stranger.tenantId, listDocuments, { knowledgeBaseId }),
    'the text of a document': (documentId) => fixture.refusal(stranger.tenantId, getDocumentContent, { documentId }),
    'the status of a document': (documentId) => fixture.refusal(stranger.tenantId, getIngestionStatus, { documentId }),
    'the status of a job': (jobId) => fixture.refusal(stranger.tenantId, getIngestionStatus, { jobId }),
  };

  it.each(Object.keys(refusals))('gets the same answer for a foreign id as for an unknown one: %s', async (name) => {
    const refuse = refusals[name]!;
    const unknown = newId();
    const expected = JSON.stringify((await refuse(unknown)).toWire()).replaceAll(unknown, 'the id');
    for (const id of Object.values(foreign)) {
      const error = await refuse(id);
      expect(error.code).toBe('not_found');
      expect(JSON.stringify(error.toWire()).replaceAll(id, 'the id')).toBe(expected);
    }
  });

  it('finds and lists nothing of another', async () => {
    const { hits, scope } = await fixture.call(stranger.tenantId, searchChunks, { query: secret, topK: 20 });
    expect(hits.map((hit) => hit.documentTitle).filter((title) => title !== 'mine.txt')).toEqual([]);
    expect(scope.knowledgeBaseIds).not.toContain(foreign.knowledgeBaseId);
    const bases = await fixture.call(stranger.tenantId, listKnowledgeBases, {});
    expect(bases.items.map((item) => item.name)).toEqual(['mine']);
    const documents = await fixture.call(stranger.tenantId, listDocuments, {});
    expect(documents.items.map((item) => item.title)).toEqual(['mine.txt']);
  });

  it("gets its own documents by another's cursor", async () => {
    await owner.addDocument(foreign.knowledgeBaseId, { title: 'newer.txt', text: secret });
    const { nextCursor } = await fixture.call(owner.tenantId, listDocuments, { limit: 1 });
    const { items } = await fixture.call(stranger.tenantId, listDocuments, { cursor: nextCursor! });
    expect(items.map((item) => item.title).filter((title) => title !== 'mine.txt')).toEqual([]);
  });
});
