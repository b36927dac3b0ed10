import { z } from 'zod';
import { idSchema } from '../common/ids.js';
import { defineOperation } from '../operation.js';

/** A slice of a document's stored text. Offsets and lengths are UTF-16 code units; no surrogate pair is cut. */
export const getDocumentContent = defineOperation({
  name: 'retrieval.get_document_content',
  lane: 'interactive',
  retry: 'safe',
  timeoutMs: 5_000,
  request: z.object({
    documentId: idSchema,
    offset: z.number().int().nonnegative().default(0),
    limit: z.number().int().min(1).max(100_000).default(8000),
  }),
  response: z.object({
    documentId: idSchema,
    title: z.string(),
    text: z.string(),
    offset: z.number().int(),
    totalLength: z.number().int(),
    /** Present when text follows. */
    nextOffset: z.number().int().optional(),
  }),
});
