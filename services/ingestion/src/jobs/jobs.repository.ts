import type { ContentType, IngestionStage } from '@lectern/contracts';
import type { Database, Transaction } from '@lectern/database';
import type { TraceCarrier } from '@lectern/telemetry';
import type { JobPointer } from './job-queue.js';

/** One try of a job. The attempt tells it from every other one, so that none can write in another's place. */
export interface JobRun extends JobPointer {
  /** 1 for the first try. */
  attempt: number;
  /** The last stage that an earlier try began. */
  stage: IngestionStage | undefined;
  documentId: string;
  knowledgeBaseId: string;
  version: number;
  title: string;
  contentType: ContentType;
  blobKey: string;
  space: SpaceOfRun;
  trace: TraceCarrier;
  requestedBy: string;
}

/** The embedding space that a version is made for. */
export interface SpaceOfRun {
  id: string;
  provider: string;
  model: string;
  revision: string;
  dimension: number;
  maxTokens: number;
}

/** The run may not write any more: its document was deleted, or another run has taken over. */
export class RunLostError extends Error {
  override readonly name = 'RunLostError';
  constructor() {
    super('the job was cancelled or taken over');
  }
}

/** Another run of the job is alive. */
export class JobBusyError extends Error {
  override readonly name = 'JobBusyError';
  constructor() {
    super('the job is running elsewhere');
  }
}

interface ClaimedRow extends Omit<JobRun, 'tenantId' | 'jobId' | 'stage' | 'space'>, Omit<SpaceOfRun, 'id'> {
  stage: IngestionStage | null;
  spaceId: string;
}

export class JobsRepository {
  constructor(
    private readonly database: Database,
    private readonly leaseMs: number,
  ) {}

  /**
   * Begins a run: of a queued job, or of one whose run has been silent for the length of a lease. Undefined when there
   * is nothing left to do. Throws {@link JobBusyError} while another run is alive.
   */
  async claim({ tenantId, jobId }: JobPointer, signal: AbortSignal): Promise<JobRun | undefined> {
    return this.database.withTenant(
      tenantId,
      async (transaction) => {
        const claimed = await transaction.query(
          `UPDATE ingestion_jobs SET state = 'running', attempts = attempts + 1, updated_at = now()
           WHERE tenant_id = $1 AND id = $2
             AND (state = 'queued' OR state = 'running' AND updated_at < now() - make_interval(secs => $3))
           RETURNING id`,
          [tenantId, jobId, this.leaseMs / 1000],
        );
        if (claimed.length === 0) {
          await assertNotRunning(transaction, tenantId, jobId);
          return undefined;
        }
        await transaction.query(
          `UPDATE documents d SET state = 'processing', updated_at = now() FROM ingestion_jobs j
           WHERE j.tenant_id = $1 AND j.id = $2 AND d.tenant_id = $1 AND d.id = j.document_id AND d.state = 'queued'`,
          [tenantId, jobId],
        );
        return readRun(transaction, tenantId, jobId);
      },
      { signal },
    );
  }

  /**
   * A transaction of a run. It holds the job, so that nobody can cancel it or take it over before the commit; throws
   * {@link RunLostError} when somebody already has.
   */
  async write<T>(run: JobRun, work: (transaction: Transaction) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.database.withTenant(
      run.tenantId,
      async (transaction) => {
        await hold(transaction, run);
        return work(transaction);
      },
      { signal },
    );
  }

  /** Says that the run is alive. */
  renew(run: JobRun): Promise<void> {
    return this.write(run, async () => undefined);
  }

  beginStage(run: JobRun, stage: IngestionStage, signal: AbortSignal): Promise<void> {
    return this.database.withTenant(run.tenantId, (transaction) => hold(transaction, run, stage), { signal });
  }

  /** Gives the job back: the next run goes on where this one stopped. */
  async release(run: JobRun): Promise<void> {
    await this.write(run, async (transaction) => {
      await transaction.query(`UPDATE ingestion_jobs SET state = 'queued' WHERE tenant_id = $1 AND id = $2`, [
        run.tenantId,
        run.jobId,
      ]);
      await transaction.query(
        `UPDATE documents SET state = 'queued', updated_at = now()
         WHERE tenant_id = $1 AND id = $2 AND state = 'processing'`,
        [run.tenantId, run.documentId],
      );
    });
  }

  async finish(run: JobRun): Promise<void> {
    await this.write(run, (transaction) =>
      transaction.query(
        `UPDATE ingestion_jobs SET state = 'done', finished_at = now(), error_code = NULL, error_message = NULL
         WHERE tenant_id = $1 AND id = $2`,
        [run.tenantId, run.jobId],
      ),
    );
  }

  /** Ends the job for good. A document with a published version goes on serving it. */
  async fail(run: JobRun, error: { code: string; message: string }): Promise<void> {
    await this.write(run, async (transaction) => {
      await transaction.query(
        `UPDATE ingestion_jobs SET state = 'failed', finished_at = now(), error_code = $3, error_message = $4
         WHERE tenant_id = $1 AND id = $2`,
        [run.tenantId, run.jobId, error.code, error.message],
      );
      await transaction.query(
        `UPDATE documents SET state = 'failed', error_code = $3, error_message = $4, updated_at = now()
         WHERE tenant_id = $1 AND id = $2 AND active_version IS NULL`,
        [run.tenantId, run.documentId, error.code, error.message],
      );
    });
  }
}

/** Marks the run as alive and keeps everybody else from its job until the commit. A stage, where given, begins. */
async function hold(transaction: Transaction, run: JobRun, stage?: IngestionStage): Promise<void> {
  const held = await transaction.query(
    `UPDATE ingestion_jobs SET updated_at = now(), stage = coalesce($4, stage)
     WHERE tenant_id = $1 AND id = $2 AND state = 'running' AND attempts = $3 RETURNING id`,
    [run.tenantId, run.jobId, run.attempt, stage ?? null],
  );
  if (held.length === 0) throw new RunLostError();
}

async function assertNotRunning(transaction: Transaction, tenantId: string, jobId: string): Promise<void> {
  const running = await transaction.query(
    `SELECT id FROM ingestion_jobs WHERE tenant_id = $1 AND id = $2 AND state IN ('queued', 'running')`,
    [tenantId, jobId],
  );
  if (running.length > 0) throw new JobBusyError();
}

async function readRun(transaction: Transaction, tenantId: string, jobId: string): Promise<JobRun | undefined> {
  const [row] = await transaction.query<ClaimedRow>(
    `SELECT j.attempts AS attempt, j.stage, j.document_id AS "documentId", j.kb_id AS "knowledgeBaseId", j.version,
            d.title, d.content_type AS "contentType", d.blob_key AS "blobKey", j.trace,
            j.requested_by AS "requestedBy", s.id AS "spaceId", s.provider, s.model, s.revision, s.dimension,
            s.max_tokens AS "maxTokens"
     FROM ingestion_jobs j
     JOIN documents d ON d.tenant_id = j.tenant_id AND d.id = j.document_id
     JOIN embedding_spaces s ON s.id = j.space_id
     WHERE j.tenant_id = $1 AND j.id = $2`,
    [tenantId, jobId],
  );
  if (!row) return undefined;
  const { stage, spaceId, provider, model, revision, dimension, maxTokens, ...rest } = row;
  return {
    ...rest,
    tenantId,
    jobId,
    stage: stage ?? undefined,
    space: { id: spaceId, provider, model, revision, dimension, maxTokens },
  };
}
