import { z } from 'zod';
import { idSchema } from '../common/ids.js';
import { defineOperation } from '../operation.js';

/** Removes a document with all that was made of it, cancels its jobs, and answers a receipt with counts. */
export const deleteDocument = defineOperation({
  name: 'ingestion.delete_document',
  lane: 'interactive',
  retry: 'never',
  timeoutMs: 12_000,
  request: z.object({
    documentId: idSchema,
    /** When given, the document must be in this knowledge base. */
    knowledgeBaseId: idSchema.optional(),
  }),
  response: z.object({
    documentId: idSchema,
    knowledgeBaseId: idSchema,
    title: z.string(),
    deleted: z.object({
      chunks: z.number().int().nonnegative(),
      vectors: z.number().int().nonnegative(),
      blobs: z.number().int().nonnegative(),
      jobs: z.number().int().nonnegative(),
    }),
  }),
});
