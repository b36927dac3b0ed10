import { z } from 'zod';
import { documentErrorSchema, documentStateSchema, ingestionStageSchema } from '../common/document.js';
import { idSchema } from '../common/ids.js';
import { defineOperation } from '../operation.js';

/** How far a document is. Exactly one of jobId and documentId is given. */
export const getIngestionStatus = defineOperation({
  name: 'retrieval.get_ingestion_status',
  lane: 'interactive',
  retry: 'safe',
  timeoutMs: 5_000,
  request: z.object({ jobId: idSchema.optional(), documentId: idSchema.optional() }),
  response: z.object({
    jobId: idSchema,
    documentId: idSchema,
    knowledgeBaseId: idSchema,
    status: documentStateSchema,
    /** The last stage that began; absent while the document is queued. */
    stage: ingestionStageSchema.optional(),
    chunksTotal: z.number().int().nonnegative(),
    chunksEmbedded: z.number().int().nonnegative(),
    attempts: z.number().int().nonnegative(),
    error: documentErrorSchema.optional(),
    updatedAt: z.iso.datetime(),
  }),
});
