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
  position: number;
  errorCode: string | null;
  errorMessage: string | null;
}

export interface StoredText {
  title: string;
  status: DocumentState;
  /** UTF-16 code units; undefined while no version is published. */
  totalLength: number | undefined;
  segments: { startOffset: number; text: string }[];
}

interface TextRow {
  title: string;
  status: DocumentState;
  totalLength: number | null;
  startOffset: number | null;
  text: string | null;
}

const largestOffset = 2 ** 31 - 1;

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
                  (extract(epoch FROM created_at) * 1000000)::bigint AS position
           FROM documents
           WHERE tenant_id = $1 AND ($2::uuid IS NULL OR kb_id = $2) AND ($3::text IS NULL OR state = $3)
             AND ($4::bigint IS NULL OR
               (created_at, id) < (timestamptz 'epoch' + $4::bigint * interval '1 microsecond', $5::uuid))
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

  /** The segments that hold a range of a document's published text; one statement, so that all are of one version. */
  async text(
    tenantId: string,
    range: { documentId: string; offset: number; limit: number },
    signal: AbortSignal,
  ): Promise<StoredText | undefined> {
    const first = Math.min(range.offset, largestOffset);
    const rows = await this.database.withTenant(
      tenantId,
      (transaction) =>
        transaction.query<TextRow>(
          `SELECT d.title, d.state AS status, t.start_offset AS "startOffset", t.text,
                  CASE WHEN d.active_version IS NOT NULL THEN d.char_count END AS "totalLength"
           FROM documents d
           LEFT JOIN document_texts t ON t.tenant_id = d.tenant_id AND t.document_id = d.id
             AND t.version = d.active_version AND t.start_offset < $4 AND t.segment >= (
               SELECT coalesce(max(s.segment), 0) FROM document_texts s
               WHERE s.tenant_id = d.tenant_id AND s.document_id = d.id AND s.version = d.active_version
                 AND s.start_offset <= $3)
           WHERE d.tenant_id = $1 AND d.id = $2
           ORDER BY t.segment`,
          [tenantId, range.documentId, first, Math.min(first + range.limit, largestOffset)],
        ),
      { readOnly: true, signal },
    );
    return toStoredText(rows);
  }
}

function toStoredText(rows: readonly TextRow[]): StoredText | undefined {
  const [document] = rows;
  if (!document) return undefined;
  return {
    title: document.title,
    status: document.status,
    totalLength: document.totalLength ?? undefined,
    segments: rows.flatMap(({ startOffset, text }) =>
      startOffset === null || text === null ? [] : [{ startOffset, text }],
    ),
  };
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
