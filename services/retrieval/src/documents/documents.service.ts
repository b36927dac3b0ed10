import {
  ServiceError,
  type getDocumentContent,
  type listDocuments,
  type RequestOf,
  type ResponseOf,
} from '@lectern/contracts';
import { sliceWellFormed } from '@lectern/text';
import type { CallContext } from '@lectern/transport';
import { decodeCursor, encodeCursor } from './cursor.js';
import type { DocumentsRepository, StoredText } from './documents.repository.js';

export class DocumentsService {
  constructor(private readonly repository: DocumentsRepository) {}

  async list(
    request: RequestOf<typeof listDocuments>,
    { caller, signal }: CallContext,
  ): Promise<ResponseOf<typeof listDocuments>> {
    const { knowledgeBaseId, status, cursor, limit } = request;
    if (knowledgeBaseId && !(await this.repository.knowledgeBaseExists(caller.tenantId, knowledgeBaseId, signal))) {
      throw new ServiceError(
        'not_found',
        `There is no knowledge base ${knowledgeBaseId}. Call list_knowledge_bases for the ids.`,
      );
    }
    const after = cursor ? decodeCursor(cursor) : undefined;
    const found = await this.repository.list(caller.tenantId, { knowledgeBaseId, status, after, limit }, signal);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      items: page.map(({ document }) => document),
      ...(found.length > limit && last ? { nextCursor: encodeCursor(last.position) } : {}),
    };
  }

  async content(
    request: RequestOf<typeof getDocumentContent>,
    { caller, signal }: CallContext,
  ): Promise<ResponseOf<typeof getDocumentContent>> {
    const { documentId, offset, limit } = request;
    const stored = await this.repository.text(caller.tenantId, request, signal);
    if (!stored) {
      throw new ServiceError('not_found', `There is no document ${documentId}. Call list_documents for the ids.`);
    }
    if (stored.totalLength === undefined) {
      throw new ServiceError(
        'conflict',
        `The document ${documentId} has no text: it is ${stored.status}. Call get_ingestion_status to see how far it is, or why.`,
      );
    }
    const { title, totalLength } = stored;
    const { text, start, end } = slice(stored, offset, limit);
    const rest = end < totalLength ? { nextOffset: end } : {};
    return { documentId, title, text, offset: start, totalLength, ...rest };
  }
}

/** Start and end are offsets of the whole text; the start may be before the one asked for, inside a surrogate pair. */
function slice({ segments }: StoredText, offset: number, limit: number): { text: string; start: number; end: number } {
  const base = segments[0]?.startOffset ?? 0;
  const loaded = segments.map((segment) => segment.text).join('');
  const { text, nextOffset } = sliceWellFormed(loaded, offset - base, limit);
  const end = base + (nextOffset ?? loaded.length);
  return { text, start: end - text.length, end };
}
