import type { Document, DocumentState } from '@lectern/contracts';
import type { Database } from '@lectern/database';
import type { Position } from './cursor.js';

export interface DocumentFilter {
  knowledgeBaseId?: string | undefined;
  status?: DocumentState | undefined;
  after?: Position | undefined;
  limit: number;
}

interface Row extends Omit<Document, 'createdAt' | 'error'> {
  createdAt: Date;
  position: string;
  errorCode: string | null;
  errorMessage: string | null;
}

export interface StoredText {
  title: string;
  status: DocumentState;
  /** Undefined while no version is published. */
  totalLength: number | undefined;
  segments: { startOffset: number; text: string }[];
}

export class DocumentsRepository {
  constructor(private readonly database: Database) {}

  async knowledgeBaseExists(tenantId: string, id: string, signal: AbortSignal): Promise<boolean> {
    const rows = await this.database.withTenant(
      tenantId,
      (transaction) =>
        transaction.query('SELECT id FROM knowledge_bases WHERE tenant_id = $1 AND id = $2', [tenantId, id]),
      { readOnly: true, signal },
    );
    return rows.length === 1;
  }

  /** Newest first; one more than the limit when there is a next page. */
  async list(
    tenantId: string,
    filter: DocumentFilter,
    signal: AbortSignal,
  ): Promise<{ document: Document; position: Position }[]> {
    const rows = await this.database.withTenant(
      tenantId,
      (transaction) =>
        transaction.query<Row>(
          `SELECT id, kb_id AS "knowledgeBaseId", title, content_type AS "contentType", state AS status,
                  error_code AS "errorCode", error_message AS "errorMessage", byte_count AS "byteCount",
                  char_count AS "charCount", chunk_count AS "chunkCount", preview, created_at AS "createdAt",
                  created_at::text AS position
           FROM documents
           WHERE tenant_id = $1 AND ($2::uuid IS NULL OR kb_id = $2) AND ($3::text IS NULL OR state = $3)
             AND ($4::timestamptz IS NULL OR (created_at, id) < ($4::timestamptz, $5::uuid))
           ORDER BY created_at DESC, id DESC LIMIT $6`,
          [
            tenantId,
            filter.knowledgeBaseId ?? null,
            filter.status ?? null,
            filter.after?.createdAt ?? null,
            filter.after?.id ?? null,
            filter.limit + 1,
          ],
        ),
      { readOnly: true, signal },
    );
    return rows.map(toDocument);
  }

  /** The segments that hold a range of a document's published text. */
  text(
    tenantId: string,
    range: { documentId: string; offset: number; limit: number },
    signal: AbortSignal,
  ): Promise<StoredText | undefined> {
    return this.database.withTenant(
      tenantId,
      async (transaction) => {
        const [document] = await transaction.query<{
          title: string;
          status: DocumentState;
          version: number | null;
          totalLength: number;
        }>(
          `SELECT title, state AS status, active_version AS version, char_count AS "totalLength"
           FROM documents WHERE tenant_id = $1 AND id = $2`,
          [tenantId, range.documentId],
        );
        if (!document) return undefined;
        const { title, status, version, totalLength } = document;
        if (version === null) return { title, status, totalLength: undefined, segments: [] };
        const segments = await transaction.query<{ startOffset: number; text: string }>(
          `SELECT start_offset AS "startOffset", text FROM document_texts
           WHERE tenant_id = $1 AND document_id = $2 AND version = $3 AND start_offset < $5
             AND segment >= (SELECT coalesce(max(segment), 0) FROM document_texts
               WHERE tenant_id = $1 AND document_id = $2 AND version = $3 AND start_offset <= $4)
           ORDER BY segment`,
          [tenantId, range.documentId, version, range.offset, Math.min(range.offset + range.limit, 2 ** 31 - 1)],
        );
        return { title, status, totalLength, segments };
      },
      { readOnly: true, signal },
    );
  }
}

function toDocument(row: Row): { document: Document; position: Position } {
  const { position, errorCode, errorMessage, createdAt, ...rest } = row;
  return {
    document: {
      ...rest,
      createdAt: createdAt.toISOString(),
      ...(errorCode === null ? {} : { error: { code: errorCode, message: errorMessage ?? '' } }),
    },
    position: { createdAt: position, id: row.id },
  };
}
