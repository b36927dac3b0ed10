import type { Database, Transaction } from '@lectern/database';

/** What was removed with a document. */
export interface RemovedDocument {
  knowledgeBaseId: string;
  title: string;
  jobIds: string[];
  deleted: { chunks: number; vectors: number; blobs: number; jobs: number };
}

export class DeletionRepository {
  constructor(private readonly database: Database) {}

  /**
   * Removes a document with its jobs, rows and vectors in one transaction, and its file just before the commit: whatever
   * dies on the way, the document is either gone or can be deleted again. Undefined when there is no such document.
   */
  remove(
    tenantId: string,
    document: { documentId: string; knowledgeBaseId: string | undefined },
    removeBlob: (key: string) => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<RemovedDocument | undefined> {
    return this.database.withTenant(
      tenantId,
      async (transaction) => {
        const jobIds = await cancelJobs(transaction, tenantId, document);
        const [found] = await transaction.query<{ knowledgeBaseId: string; title: string; blobKey: string }>(
          `SELECT kb_id AS "knowledgeBaseId", title, blob_key AS "blobKey" FROM documents
           WHERE tenant_id = $1 AND id = $2 AND ($3::uuid IS NULL OR kb_id = $3) FOR UPDATE`,
          [tenantId, document.documentId, document.knowledgeBaseId ?? null],
        );
        if (!found) return undefined;
        const vectors = await removeRows(transaction, 'chunk_vectors', tenantId, document.documentId);
        const chunks = await removeRows(transaction, 'chunks', tenantId, document.documentId);
        await transaction.query('DELETE FROM documents WHERE tenant_id = $1 AND id = $2', [
          tenantId,
          document.documentId,
        ]);
        await askForRecount(transaction, tenantId);
        const blobs = (await removeBlob(found.blobKey)) ? 1 : 0;
        return {
          knowledgeBaseId: found.knowledgeBaseId,
          title: found.title,
          jobIds,
          deleted: { chunks, vectors, blobs, jobs: jobIds.length },
        };
      },
      { signal },
    );
  }
}

/**
 * Before the document, in the order in which a run locks the two. A run that is writing commits first; its next write
 * finds the job gone.
 */
async function cancelJobs(
  transaction: Transaction,
  tenantId: string,
  document: { documentId: string; knowledgeBaseId: string | undefined },
): Promise<string[]> {
  const jobs = await transaction.query<{ id: string }>(
    `UPDATE ingestion_jobs SET state = CASE WHEN state IN ('queued', 'running') THEN 'cancelled' ELSE state END
     WHERE tenant_id = $1 AND document_id = $2 AND ($3::uuid IS NULL OR kb_id = $3) RETURNING id`,
    [tenantId, document.documentId, document.knowledgeBaseId ?? null],
  );
  return jobs.map((job) => job.id);
}

async function removeRows(
  transaction: Transaction,
  table: 'chunks' | 'chunk_vectors',
  tenantId: string,
  documentId: string,
): Promise<number> {
  const [row] = await transaction.query<{ count: number }>(
    `WITH removed AS (DELETE FROM ${table} WHERE tenant_id = $1 AND document_id = $2 RETURNING 1)
     SELECT count(*) AS count FROM removed`,
    [tenantId, documentId],
  );
  return row?.count ?? 0;
}

/** Skipped while a count is running: waiting for it would cost more than counts that are a little old. */
async function askForRecount(transaction: Transaction, tenantId: string): Promise<void> {
  await transaction.query(
    `UPDATE lexical_totals SET counted_at = '-infinity' WHERE tenant_id IN (
       SELECT tenant_id FROM lexical_totals WHERE tenant_id = $1 FOR UPDATE SKIP LOCKED)`,
    [tenantId],
  );
}
