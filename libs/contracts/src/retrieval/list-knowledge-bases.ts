import { z } from 'zod';
import { knowledgeBaseSchema } from '../common/knowledge-base.js';
import { defineOperation } from '../operation.js';

/** All knowledge bases of the tenant, newest first. */
export const listKnowledgeBases = defineOperation({
  name: 'retrieval.list_knowledge_bases',
  lane: 'interactive',
  retry: 'safe',
  timeoutMs: 5_000,
  request: z.object({}),
  response: z.object({ items: z.array(knowledgeBaseSchema) }),
});
