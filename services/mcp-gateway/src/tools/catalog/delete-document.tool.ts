import { deleteDocument } from '@lectern/contracts';
import { z } from 'zod';
import { idArgument } from '../arguments.js';
import { defineTool } from '../define-tool.js';
import { security, securitySchema } from '../untrusted.js';

export const deleteDocumentTool = defineTool({
  name: 'delete_document',
  title: 'Delete a document',
  description:
    'Removes one document for good, with its text, chunks, vectors, file and running jobs; it cannot be undone. A person ' +
    'has to confirm it outside of this conversation, and no argument can stand in for that. Returns a receipt with ' +
    'counts of what was removed. Searches find nothing of the document afterwards.',
  scope: 'kb:danger',
  permission: 'danger',
  toolsets: ['localbase'],
  input: z.object({
    documentId: idArgument('The document to delete.'),
    knowledgeBaseId: idArgument('Its knowledge base, to be sure; another one refuses.').optional(),
  }),
  output: z.object({ security: securitySchema, ...deleteDocument.response.shape }),
  operation: deleteDocument,
  confirm: 'delete_document removes the document for good.',
  toOutput: (receipt) => ({ security, ...receipt }),
  toAnswer: ({ documentId, title, deleted }) => ({
    sentence:
      `Deleted document ${documentId}: ${deleted.chunks} chunk(s), ${deleted.vectors} vector(s), ` +
      `${deleted.blobs} file(s), ${deleted.jobs} job(s).`,
    untrusted: [{ label: 'Its title', text: title }],
  }),
});
