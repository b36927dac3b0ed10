import type { Database, Transaction } from '@lectern/database';
import type { JobPointer } from './job-queue.js';

/** Beyond it one tenant's jobs are equally far behind. */
const countedAtMost = 1_000;

/** What there is to do, by the record in the database. */
export class OutstandingJobsRepository {
  constructor(private readonly database: Database) {}

  /** Queued and running jobs that nobody has touched for a while, of all tenants, oldest first. */
  async untouchedFor(milliseconds: number, limit: number): Promise<JobPointer[]> {
    const staleBefore = new Date(Date.now() - milliseconds);
    const rows = await this.database.lookup<{ tenant_id: string; job_id: string }>('outstanding_ingestion_jobs', [
      staleBefore,
      limit,
    ]);
    return rows.map((row) => ({ tenantId: row.tenant_id, jobId: row.job_id }));
  }

  /**
   * Marks jobs of one tenant as seen, so that the next look finds others; a running one stays as it is, since its age
   * says whether its run is alive. Returns the priority at which to queue them.
   */
  touch(tenantId: string, jobIds: readonly string[]): Promise<number> {
    return this.database.withTenant(tenantId, async (transaction) => {
      await transaction.query(
        `UPDATE ingestion_jobs SET updated_at = now()
         WHERE tenant_id = $1 AND id = ANY ($2::uuid[]) AND state = 'queued'`,
        [tenantId, jobIds],
      );
      return jobPriority(transaction, tenantId);
    });
  }
}

/** The tenant's outstanding jobs: who has much in line lets those with little go first. */
export async function jobPriority(transaction: Transaction, tenantId: string): Promise<number> {
  const [row] = await transaction.query<{ count: number }>(
    `SELECT count(*) AS count FROM (
       SELECT FROM ingestion_jobs WHERE tenant_id = $1 AND state IN ('queued', 'running') LIMIT $2) AS outstanding`,
    [tenantId, countedAtMost],
  );
  return Math.max(1, row?.count ?? 1);
}
