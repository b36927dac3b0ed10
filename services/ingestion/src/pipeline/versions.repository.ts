import type { Database } from '@lectern/database';
import type { JobRun, JobsRepository } from '../jobs/jobs.repository.js';

/** Chunks that one transaction removes: in embedded mode searches wait for it. */
const removedAtOnce = 64;

/** The versions of a document: built one beside the other, switched at once, removed in small steps. */
export class VersionsRepository {
  constructor(
    private readonly database: Database,
    private readonly jobs: JobsRepository,
  ) {}

  /** Makes the run's version the one that is searched. */
  async publish(run: JobRun, facts: { charCount: number; preview: string }, signal: AbortSignal): Promise<void> {
    await this.jobs.write(
      run,
      (transaction) =>
        transaction.query(
          `UPDATE documents SET active_version = $3, state = 'ready', char_count = $4, preview = $5,
             chunk_count = (SELECT count(*) FROM chunks c
               WHERE c.tenant_id = $1 AND c.document_id = $2 AND c.version = $3),
             error_code = NULL, error_message = NULL, updated_at = now()
           WHERE tenant_id = $1 AND id = $2`,
          [run.tenantId, run.documentId, run.version, facts.charCount, facts.preview],
        ),
      signal,
    );
  }

  /** Removes the rows of all versions but the published one and those that a job is still building. */
  async removeUnused(run: JobRun, signal: AbortSignal): Promise<void> {
    let removed: number;
    do {
      removed = await this.removeSome(run, signal);
    } while (removed === removedAtOnce);
  }

  private removeSome(run: JobRun, signal: AbortSignal): Promise<number> {
    return this.database.withTenant(
      run.tenantId,
      async (transaction) => {
        const chunks = await transaction.query(
          `DELETE FROM chunks WHERE tenant_id = $1 AND id IN (
             SELECT c.id FROM chunks c JOIN documents d ON d.tenant_id = c.tenant_id AND d.id = c.document_id
             WHERE c.tenant_id = $1 AND c.document_id = $2 AND ${unused('c')} LIMIT $3) RETURNING id`,
          [run.tenantId, run.documentId, removedAtOnce],
        );
        if (chunks.length < removedAtOnce) {
          await transaction.query(
            `DELETE FROM document_texts t USING documents d
             WHERE t.tenant_id = $1 AND t.document_id = $2 AND d.tenant_id = $1 AND d.id = $2 AND ${unused('t')}`,
            [run.tenantId, run.documentId],
          );
        }
        return chunks.length;
      },
      { signal },
    );
  }
}

/** Condition on a row of table `alias` with a version, beside its document `d`. */
function unused(alias: string): string {
  return `${alias}.version IS DISTINCT FROM d.active_version AND NOT EXISTS (
    SELECT FROM ingestion_jobs j WHERE j.tenant_id = $1 AND j.document_id = $2 AND j.version = ${alias}.version
      AND j.state IN ('queued', 'running'))`;
}
