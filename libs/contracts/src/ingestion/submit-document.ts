import { z } from 'zod';
import { documentStateSchema } from '../common/document.js';
import { idSchema } from '../common/ids.js';
import { defineOperation } from '../operation.js';

/** Largest text that comes inline, in bytes of UTF-8. */
export const maxInlineBytes = 256 * 1024;

/** Stores a file and queues it. The same bytes in the same knowledge base give the existing document. */
export const submitDocument = defineOperation({
  name: 'ingestion.submit_document',
  lane: 'interactive',
  // The unique hash per knowledge base makes a second run find the first one's document.
  retry: 'safe',
  timeoutMs: 10_000,
  request: z.object({
    knowledgeBaseId: idSchema,
    fileName: z.string().trim().min(1).max(255),
    content: z.string(),
  }),
  response: z.object({
    documentId: idSchema,
    jobId: idSchema,
    status: documentStateSchema,
    /** False when these bytes were there already. */
    created: z.boolean(),
  }),
});
