import type { getIngestionStatus, ResponseOf } from '@lectern/contracts';
import type { Database } from '@lectern/database';

type Status = ResponseOf<typeof getIngestionStatus>;

interface Row extends Omit<Status, 'updatedAt' | 'error' | 'stage'> {
  stage: Exclude<Status['stage'], undefined> | null;
  updatedAt: Date;
  errorCode: string | null;
  errorMessage: string | null;
}

export class IngestionStatusRepository {
  constructor(private readonly database: Database) {}

  /** The newest job of a document, or the named one. */
  async find(
    tenantId: string,
    by: { jobId?: string | undefined; documentId?: string | undefined },
    signal: AbortSignal,
  ): Promise<Status | undefined> {
    const [row] = await this.database.withTenant(
      tenantId,
      (transaction) =>
        transaction.query<Row>(
          `SELECT j.id AS "jobId", j.document_id AS "documentId", j.kb_id AS "knowledgeBaseId", d.state AS status, j.stage,
                  j.chunks_total AS "chunksTotal", j.chunks_embedded AS "chunksEmbedded", j.attempts,
                  j.error_code AS "errorCode", j.error_message AS "errorMessage", j.updated_at AS "updatedAt"
           FROM ingestion_jobs j
           JOIN documents d ON d.tenant_id = j.tenant_id AND d.id = j.document_id
           WHERE j.tenant_id = $1 AND ($2::uuid IS NULL OR j.id = $2) AND ($3::uuid IS NULL OR j.document_id = $3)
           ORDER BY j.version DESC LIMIT 1`,
          [tenantId, by.jobId ?? null, by.documentId ?? null],
        ),
      { readOnly: true, signal },
    );
    if (!row) return undefined;
    const { stage, errorCode, errorMessage, updatedAt, ...rest } = row;
    return {
      ...rest,
      ...(stage === null ? {} : { stage }),
      ...(errorCode === null ? {} : { error: { code: errorCode, message: errorMessage ?? '' } }),
      updatedAt: updatedAt.toISOString(),
    };
  }
}
