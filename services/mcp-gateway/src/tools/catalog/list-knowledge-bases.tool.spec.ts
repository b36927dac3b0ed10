import { describe, expect, it } from '@jest/globals';
import { runAlone } from '../../../test/run-alone.js';
import { listKnowledgeBasesTool } from './list-knowledge-bases.tool.js';

const item = {
  id: '0190a1b2-c3d4-7e5f-8a6b-111111111111',
  name: 'Handbook',
  description: 'Rules of the house',
  documentCount: 3,
  createdAt: '2026-01-01T00:00:00.000Z',
};

describe('list_knowledge_bases', () => {
  it('answers in both forms, names inside the envelope', async () => {
    const answers = { 'retrieval.list_knowledge_bases': { items: [item] } };
    const { output, text } = await runAlone(listKnowledgeBasesTool, {}, answers);
    expect(output?.items).toEqual([item]);
    expect(text).toMatch(/^1 knowledge base\(s\):[\s\S]*3 document\(s\)[\s\S]*Handbook\nRules of the house/);
  });

  it('says in a sentence that there is none', async () => {
    const { output, text } = await runAlone(
      listKnowledgeBasesTool,
      {},
      { 'retrieval.list_knowledge_bases': { items: [] } },
    );
    expect(output?.items).toEqual([]);
    expect(text).toBe('There is no knowledge base yet.');
  });
});
