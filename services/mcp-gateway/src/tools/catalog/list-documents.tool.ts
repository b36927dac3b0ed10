import { documentSchema, documentStateSchema, listDocuments, pageRequest, pageResponse } from '@lectern/contracts';
import { z } from 'zod';
import { idArgument } from '../arguments.js';
import { clampedInteger } from '../argument-schema.js';
import { defineTool } from '../define-tool.js';
import { security, securitySchema } from '../untrusted.js';

export const listDocumentsTool = defineTool({
  name: 'list_documents',
  title: 'List documents',
  description:
    'Lists documents, newest first, with id, title, status, size, number of chunks and a short preview. Use it to see ' +
    'what there is or to find a document id. Only documents with status ready are searched. Long lists come in pages: ' +
    'pass nextCursor as cursor for the next one. It does not search the text; search_knowledge_base does.',
  scope: 'kb:read',
  permission: 'read-only',
  toolsets: ['kb', 'localbase'],
  input: z.object({
    knowledgeBaseId: idArgument('Only documents of this knowledge base.').optional(),
    status: documentStateSchema.optional().describe('Only documents in this state.'),
    cursor: pageRequest.cursor,
    limit: clampedInteger({ min: 1, max: 200, fallback: 50, description: 'Documents on a page.' }),
  }),
  output: z.object({ security: securitySchema, items: z.array(documentSchema), ...pageResponse }),
  operation: listDocuments,
  toOutput: (page) => ({ security, ...page }),
  toAnswer: ({ items, nextCursor }) => ({
    sentence:
      items.length === 0
        ? 'There are no documents.'
        : `${items.length} document(s)${nextCursor ? `, and more with cursor ${nextCursor}` : ''}:`,
    untrusted: items.map((document) => ({
      label:
        `${document.id} · knowledge base ${document.knowledgeBaseId} · ${document.contentType} · ${document.status} · ` +
        `${document.byteCount} bytes · ${document.chunkCount} chunk(s) · created ${document.createdAt}` +
        (document.error ? ` · ${document.error.code}: ${document.error.message}` : ''),
      text: document.preview ? `${document.title}\n${document.preview}` : document.title,
    })),
  }),
});
