import { afterEach, expect, it } from '@jest/globals';
import { searchChunks } from '@lectern/contracts';
import { describeOnBackends, openFixture, type Fixture } from './fixture.js';

/** Far more passages than a walk through the index looks at in one go. */
const crowd = 250;

describeOnBackends('a search by the vector index', (open) => {
  let fixture: Fixture;
  afterEach(() => fixture.close());

  /** A crowd that is near the question and, in another knowledge base, a few passages that are not. */
  async function openCrowded(serverParameters: Record<string, string>) {
    fixture = await openFixture(open, { exactUpTo: 0, serverParameters });
    const corpus = await fixture.corpus('one');
    const bases = { near: await corpus.addKnowledgeBase('near'), far: await corpus.addKnowledgeBase('far') };
    const lines = Array.from(
      { length: crowd },
      (_, index) => `# ${index}\n\nthe ingestion queue is full, case ${index}\n`,
    );
    await corpus.addDocument(bases.near, { title: 'near.md', text: lines.join('\n'), contentType: 'md' });
    for (const word of ['备份', '年假', '病假', '目录', '恢复', '组长']) {
      await corpus.addDocument(bases.far, { title: `${word}.txt`, text: `${word} queue` });
    }
    await corpus.recount();
    return { corpus, bases };
  }

  it('says that it may have missed a passage', async () => {
    const { corpus } = await openCrowded({ enable_sort: 'off' });
    const { hits, exhaustive } = await fixture.call(corpus.tenantId, searchChunks, {
      query: 'queue is full',
      topK: 20,
    });
    expect(hits).toHaveLength(20);
    expect(exhaustive).toBe('approximate');
  });

  it('searches exactly where the walk ends before it has found enough of the scope', async () => {
    // Without sorting the planner has to take the index, which then gives up at once.
    const { corpus, bases } = await openCrowded({ enable_sort: 'off', 'hnsw.max_scan_tuples': '1' });
    const { hits, exhaustive, filteredByThreshold } = await fixture.call(corpus.tenantId, searchChunks, {
      query: 'the ingestion queue is full',
      knowledgeBaseId: bases.far,
      topK: 20,
    });
    expect(hits.length + filteredByThreshold).toBe(6);
    expect(exhaustive).toBe('exact');
  });
});
