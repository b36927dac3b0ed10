import { describe, expect, it } from '@jest/globals';
import { runAlone } from '../../../test/run-alone.js';
import { searchKnowledgeBaseTool } from './search-knowledge-base.tool.js';

const id = '0190a1b2-c3d4-7e5f-8a6b-222222222222';
const search = 'retrieval.search_chunks';
const hit = {
  rank: 1,
  similarity: 0.87654,
  score: 0.7,
  content: '年假十五天。',
  documentTitle: 'leave.csv',
  documentId: id,
  knowledgeBaseId: id,
  chunkId: id,
  chunkIndex: 4,
  citation: { startOffset: 3, endOffset: 9, headingPath: ['Leave', 'Days'], sheet: 'A', range: 'A1:B2', page: 2 },
};
const found = { hits: [hit], filteredByThreshold: 1, scope: { knowledgeBaseIds: [id] }, exhaustive: 'approximate' };

describe('search_knowledge_base', () => {
  it('asks for five passages of everything unless told otherwise', async () => {
    const { asked } = await runAlone(searchKnowledgeBaseTool, { query: ' 年假 ' }, { [search]: found });
    expect(asked).toEqual([{ operation: search, input: { query: '年假', knowledgeBaseId: undefined, topK: 5 } }]);
  });

  it('answers the same facts in structure and in words', async () => {
    const { output, text } = await runAlone(searchKnowledgeBaseTool, { query: '年假', topK: 1 }, { [search]: found });
    const { documentTitle, ...rest } = hit;
    expect(output).toMatchObject({
      query: '年假',
      top_k: 1,
      matched: 1,
      filtered_by_threshold: 1,
      exhaustive: 'approximate',
      results: [{ ...rest, document_title: documentTitle, trust: 'untrusted' }],
    });
    for (const fact of [
      'approximate search',
      'similarity 0.8765',
      'characters 3-9 · page 2 · A · A1:B2 · Leave > Days',
      'leave.csv',
      '年假十五天。',
    ]) {
      expect(text).toContain(fact);
    }
  });

  it('is a sentence and no error when nothing fits', async () => {
    const nothing = { ...found, hits: [] };
    const { isError, output, text } = await runAlone(searchKnowledgeBaseTool, { query: 'x' }, { [search]: nothing });
    expect([isError, output?.matched]).toEqual([false, 0]);
    expect(text).toBe('Nothing relevant was found in the knowledge base (1 weak candidate(s) left out).');
  });
});
