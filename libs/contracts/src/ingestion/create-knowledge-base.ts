import { z } from 'zod';
import { knowledgeBaseSchema } from '../common/knowledge-base.js';
import { defineOperation } from '../operation.js';

/** Makes an empty knowledge base on the current embedding model. Names are unique within a tenant (`conflict`). */
export const createKnowledgeBase = defineOperation({
  name: 'ingestion.create_knowledge_base',
  lane: 'interactive',
  retry: 'safe',
  timeoutMs: 10_000,
  request: z.object({
    name: z.string().trim().min(1).max(200),
    description: z.string().trim().max(2000).default(''),
    /** The same key gives the same knowledge base back. */
    idempotencyKey: z.string().min(1).max(128).optional(),
  }),
  response: z.object({ knowledgeBase: knowledgeBaseSchema }),
});
