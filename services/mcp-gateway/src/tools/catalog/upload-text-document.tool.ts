import {
  documentErrorSchema,
  documentStateSchema,
  getIngestionStatus,
  ingestionStageSchema,
  maxInlineBytes,
  submitDocument,
} from '@lectern/contracts';
import { z } from 'zod';
import { idArgument } from '../arguments.js';
import { defineTool } from '../define-tool.js';
import { describeIngestion, ingestionProgress, isSettled } from '../ingestion-progress.js';

export const uploadTextDocumentTool = defineTool({
  name: 'upload_text_document',
  title: 'Upload a text document',
  description:
    'Stores a text as a document and makes it searchable. Takes .txt, .md and .csv up to 256 KiB as plain text; it ' +
    'takes no binary files. Waits until the document is ready and answers its state; when that takes longer, it answers ' +
    'the state so far with a jobId to ask get_ingestion_status about. The same bytes in the same knowledge base give ' +
    'the existing document back.',
  scope: 'kb:write',
  permission: 'write',
  toolsets: ['localbase'],
  input: z.object({
    knowledgeBaseId: idArgument('The knowledge base to put it into.'),
    fileName: z
      .string()
      .trim()
      .max(255)
      .regex(/.\.([tT][xX][tT]|[mM][dD]|[cC][sS][vV])$/, 'takes a name that ends in .txt, .md or .csv')
      .describe('File name with extension .txt, .md or .csv; it becomes the title.'),
    content: z
      .string()
      .min(1, 'is empty; give the text of the document')
      .refine(
        (text) => Buffer.byteLength(text) <= maxInlineBytes,
        `takes at most ${maxInlineBytes} bytes of UTF-8; split the text and upload its parts`,
      )
      .describe('The text, up to 256 KiB of UTF-8.'),
  }),
  output: z.object({
    documentId: z.string(),
    knowledgeBaseId: z.string(),
    jobId: z.string(),
    fileName: z.string(),
    created: z.boolean().describe('False when these bytes were there already.'),
    status: documentStateSchema.describe('ready: searchable; queued or processing: ask get_ingestion_status.'),
    stage: ingestionStageSchema.optional(),
    chunksTotal: z.number().int(),
    chunksEmbedded: z.number().int(),
    error: documentErrorSchema.optional().describe('Why a failed document failed, and what to do.'),
  }),
  operation: submitDocument,
  follow: {
    operation: getIngestionStatus,
    toRequest: ({ documentId }) => ({ documentId }),
    isDone: isSettled,
    toProgress: ingestionProgress,
    gone: 'The document was stored, and deleted while this call waited. Upload it again if it is still wanted.',
  },
  toOutput: ({ documentId, jobId, status, created }, { knowledgeBaseId, fileName }, followed) => ({
    ...{ documentId, knowledgeBaseId, jobId, fileName, created },
    status: followed?.status ?? status,
    stage: followed?.stage,
    chunksTotal: followed?.chunksTotal ?? 0,
    chunksEmbedded: followed?.chunksEmbedded ?? 0,
    error: followed?.error,
  }),
  toAnswer: ({ created, ...state }) => ({
    sentence:
      `${created ? 'Stored.' : 'These bytes were there already; this is the existing document.'} ` +
      describeIngestion(state),
  }),
});
