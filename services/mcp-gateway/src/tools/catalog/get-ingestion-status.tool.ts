import { getIngestionStatus } from '@lectern/contracts';
import { z } from 'zod';
import { idArgument } from '../arguments.js';
import { defineTool } from '../define-tool.js';
import { describeIngestion } from '../ingestion-progress.js';

export const getIngestionStatusTool = defineTool({
  name: 'get_ingestion_status',
  title: 'Get the ingestion status',
  description:
    'Says how far a document is on its way to being searchable. Give the jobId of an upload or a documentId, one of ' +
    'them. Returns status (queued, processing, ready, failed, needs_ocr), the stage, counts of chunks, and for a failed ' +
    'document why it failed and what to do. It starts nothing.',
  scope: 'kb:read',
  permission: 'read-only',
  toolsets: [],
  input: z
    .object({
      jobId: idArgument('Job of an upload.').optional(),
      documentId: idArgument('The document.').optional(),
    })
    .refine(({ jobId, documentId }) => (jobId === undefined) !== (documentId === undefined), {
      error: 'give either jobId or documentId',
    }),
  output: getIngestionStatus.response,
  operation: getIngestionStatus,
  toAnswer: (state) => ({ sentence: describeIngestion(state) }),
});
