import { z } from 'zod';
import { documentSchema, documentStateSchema } from '../common/document.js';
import { idSchema } from '../common/ids.js';
import { pageRequest, pageResponse } from '../common/page.js';
import { defineOperation } from '../operation.js';

/** A page of the tenant's documents, newest first. */
export const listDocuments = defineOperation({
  name: 'retrieval.list_documents',
  lane: 'interactive',
  retry: 'safe',
  timeoutMs: 5_000,
  request: z.object({
    knowledgeBaseId: idSchema.optional(),
    status: documentStateSchema.optional(),
    ...pageRequest,
  }),
  response: z.object({ items: z.array(documentSchema), ...pageResponse }),
});
