import { describe, expect, it } from '@jest/globals';
import { runAlone } from '../../../test/run-alone.js';
import { createKnowledgeBaseTool } from './create-knowledge-base.tool.js';

const knowledgeBase = {
  id: '0190a1b2-c3d4-7e5f-8a6b-111111111111',
  name: 'Handbook',
  description: '',
  documentCount: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
};

describe('create_knowledge_base', () => {
  it('trims the name and answers the new knowledge base with its id', async () => {
    const answers = { 'ingestion.create_knowledge_base': { knowledgeBase } };
    const outcome = await runAlone(createKnowledgeBaseTool, { name: ' Handbook ' }, answers);
    expect(outcome.asked[0]?.input).toEqual({ name: 'Handbook', description: '' });
    expect(outcome.output).toEqual({ knowledgeBase });
    expect(outcome.text).toBe(`Created knowledge base "Handbook" with id ${knowledgeBase.id}.`);
  });
});
