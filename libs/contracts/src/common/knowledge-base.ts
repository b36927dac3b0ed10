import { z } from 'zod';
import { idSchema } from './ids.js';

export const knowledgeBaseSchema = z.object({
  id: idSchema,
  name: z.string(),
  description: z.string(),
  documentCount: z.number().int().describe('Documents in the knowledge base, in any state.'),
  createdAt: z.iso.datetime(),
});
export type KnowledgeBase = z.output<typeof knowledgeBaseSchema>;
