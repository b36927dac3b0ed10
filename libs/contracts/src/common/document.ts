import { z } from 'zod';
import { idSchema } from './ids.js';

/** Every document ends in one of the last three, whatever dies on the way. */
export const documentStates = ['queued', 'processing', 'ready', 'failed', 'needs_ocr'] as const;
export const documentStateSchema = z.enum(documentStates);
export type DocumentState = z.output<typeof documentStateSchema>;

/** The recorded stages of ingestion, in their order. */
export const ingestionStages = ['parse', 'chunk', 'embed', 'switch'] as const;
export const ingestionStageSchema = z.enum(ingestionStages);
export type IngestionStage = z.output<typeof ingestionStageSchema>;

export const contentTypeSchema = z.enum(['txt', 'md', 'csv']);
export type ContentType = z.output<typeof contentTypeSchema>;

/** Why a document failed: a closed code and a sentence that says what to do. */
export const documentErrorSchema = z.object({ code: z.string(), message: z.string() });

export const documentSchema = z.object({
  id: idSchema,
  knowledgeBaseId: idSchema,
  title: z.string().describe('File name under which the document was uploaded.'),
  contentType: contentTypeSchema,
  status: documentStateSchema.describe('queued, processing, ready (searchable), failed or needs_ocr.'),
  error: documentErrorSchema.optional().describe('Why a failed document failed, and what to do.'),
  byteCount: z.number().int().describe('Size of the uploaded file in bytes.'),
  charCount: z.number().int().describe('Length of the stored text in UTF-16 code units.'),
  chunkCount: z.number().int().describe('Number of searchable chunks.'),
  preview: z.string().describe('The first characters of the text, at most 120 UTF-16 code units.'),
  createdAt: z.iso.datetime(),
});
export type Document = z.output<typeof documentSchema>;
