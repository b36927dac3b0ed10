/** Why a document can't be ingested, however often it is tried. */
export const documentErrorCodes = {
  content_missing: 'The uploaded file is gone from the store. Delete the document and upload it again.',
  no_text: 'The file holds no text that could be searched. Upload one with words in it.',
  passage_rejected: 'The embedding model refused a passage of the document. Change the text and upload it again.',
  passage_too_long:
    'A passage of the document is longer than the embedding model takes. Break it up and upload it again.',
  embedding_invalid:
    'The embedding model answered vectors that do not fit its description. Tell the operator, then upload it again.',
  embedding_refused: 'The embedding service refuses this work. Tell the operator, then upload the document again.',
  gave_up: 'Ingestion was tried many times without success. Upload the document again later.',
  internal: 'Lectern failed to ingest the document. Tell the operator, then upload it again.',
} as const;

export type DocumentErrorCode = keyof typeof documentErrorCodes;

/** Ends the ingestion of a document; the sentence belongs to the code, so that no text of others gets into it. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  constructor(
    readonly code: DocumentErrorCode,
    options: { cause?: unknown } = {},
  ) {
    super(documentErrorCodes[code], options);
  }
}
