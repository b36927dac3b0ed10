import { createHash } from 'node:crypto';
import { contentTypeSchema, maxInlineBytes, ServiceError, type ContentType } from '@lectern/contracts';
import { holdsText } from '@lectern/text';
import { cleanLine } from './clean-text.js';
import { misreadEncoding } from './misread-encoding.js';

/** An uploaded text that may be ingested. */
export interface Upload {
  title: string;
  contentType: ContentType;
  bytes: Uint8Array;
  sha256: Uint8Array;
}

/** Share of characters that no text has, above which a file counts as binary. */
const binaryShare = 0.05;

/** Refuses what can't become a searchable document, with words that say what would be accepted. */
export function inspectUpload(request: { fileName: string; content: string }): Upload {
  const title = cleanLine(request.fileName);
  const contentType = contentTypeSchema.safeParse(/[^/\\]\.([a-z]+)$/i.exec(title)?.[1]?.toLowerCase());
  if (!contentType.success) {
    throw new ServiceError('invalid_request', 'fileName: takes files that end in .txt, .md or .csv.');
  }
  const bytes = Buffer.from(request.content, 'utf8');
  if (bytes.length > maxInlineBytes) {
    throw new ServiceError(
      'invalid_request',
      `content: has ${bytes.length} bytes of UTF-8; at most ${maxInlineBytes} are accepted. Split the file and upload its parts.`,
      { details: { bytes: bytes.length, maxBytes: maxInlineBytes } },
    );
  }
  if (looksBinary(request.content.toWellFormed())) {
    throw new ServiceError(
      'invalid_request',
      'content: looks like a binary file or like text in another encoding than UTF-8. Save it as UTF-8 text and upload that.',
    );
  }
  const encoding = misreadEncoding(request.content);
  if (encoding) {
    throw new ServiceError(
      'invalid_request',
      `content: looks like ${encoding} text that was read as Latin-1. Read the file as ${encoding} and upload its text.`,
    );
  }
  if (!holdsText(request.content)) {
    throw new ServiceError(
      'invalid_request',
      'content: is empty, or has only white space and punctuation. Give the text of the document.',
    );
  }
  return { title, contentType: contentType.data, bytes, sha256: createHash('sha256').update(bytes).digest() };
}

function looksBinary(content: string): boolean {
  let suspicious = 0;
  for (let index = 0; index < content.length; index += 1) {
    if (isSuspicious(content.charCodeAt(index))) suspicious += 1;
  }
  return suspicious > content.length * binaryShare;
}

/** NUL, other control characters that no editor writes, and what stands for undecodable bytes and halves of pairs. */
function isSuspicious(code: number): boolean {
  const isSpace = code >= 0x09 && code <= 0x0d;
  // Logs are full of it.
  const isEscape = code === 0x1b;
  return (code < 0x20 && !isSpace && !isEscape) || code === 0x7f || code === 0xfffd;
}
