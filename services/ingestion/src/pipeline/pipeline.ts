import { isServiceError } from '@lectern/contracts';
import { attributes, withSpan, type Logger, type Metrics } from '@lectern/telemetry';
import type { JobPointer } from '../jobs/job-queue.js';
import { RunLostError, type JobRun, type JobsRepository } from '../jobs/jobs.repository.js';
import { DocumentError } from './document-error.js';
import { keepAlive } from './keep-alive.js';
import type { Stage } from './stage.js';
import type { VersionsRepository } from './versions.repository.js';

export interface PipelineOptions {
  /** In their order. */
  stages: readonly Stage[];
  jobs: JobsRepository;
  versions: VersionsRepository;
  /** Told of a tenant whose searchable chunks have changed. */
  onPublished: (tenantId: string) => void;
  maxAttempts: number;
  leaseMs: number;
  logger: Logger;
  metrics: Metrics;
}

/** Runs after which an error that nobody foresaw counts as one that will not pass. */
const defectAttempts = 5;

/** Takes one job through the stages that it has not behind it, and brings every document to an end. */
export class Pipeline {
  constructor(private readonly options: PipelineOptions) {}

  /** Resolves when nothing is left to do for the job; rejects when it is to be tried again later. */
  async run(job: JobPointer, signal: AbortSignal): Promise<void> {
    const run = await this.options.jobs.claim(job, signal);
    if (!run) return;
    const span = {
      parent: run.trace,
      attributes: { [attributes.tenant]: run.tenantId, [attributes.document]: run.documentId },
    };
    await withSpan('ingest', span, async () => {
      try {
        await this.runStages(run, signal);
      } catch (error) {
        await this.settle(run, error, signal);
      }
    });
  }

  private async runStages(run: JobRun, signal: AbortSignal): Promise<void> {
    const { stages, jobs, leaseMs, maxAttempts, onPublished, logger } = this.options;
    if (run.attempt > maxAttempts) throw new DocumentError('gave_up');
    const alive = keepAlive(() => jobs.renew(run), leaseMs / 4, signal);
    try {
      const resumed = stages.findIndex((stage) => stage.name === run.stage);
      for (const stage of stages.slice(Math.max(0, resumed))) await this.runStage(stage, run, alive.signal);
    } catch (error) {
      throw alive.signal.aborted ? alive.signal.reason : error;
    } finally {
      await alive.stop();
    }
    await jobs.finish(run);
    onPublished(run.tenantId);
    logger.info(describe(run), 'document ingested');
  }

  private async runStage(stage: Stage, run: JobRun, signal: AbortSignal): Promise<void> {
    const { jobs, metrics } = this.options;
    const stop = metrics.ingestionStageDuration.startTimer({ stage: stage.name });
    try {
      await withSpan(`ingest ${stage.name}`, { attributes: { [attributes.stage]: stage.name } }, async () => {
        await jobs.beginStage(run, stage.name, signal);
        await stage.run(run, signal);
      });
      stop({ outcome: 'ok' });
    } catch (error) {
      stop({ outcome: error instanceof DocumentError ? 'failed' : 'broken_off' });
      throw error;
    }
  }

  /** Ends the job for good or gives it back, by what went wrong. */
  private async settle(run: JobRun, error: unknown, signal: AbortSignal): Promise<void> {
    const { jobs, versions, logger } = this.options;
    const end = signal.aborted ? undefined : this.endFor(run, error);
    // A deleted document's run is aborted too, and tells by its job alone from one that has to stop.
    if (error instanceof RunLostError || (!end && !(await this.giveBack(run)))) {
      logger.info(describe(run), 'ingestion stopped: its document was deleted or another run has it');
      return;
    }
    if (!end) {
      logger.warn({ ...describe(run), err: error }, 'ingestion will be tried again');
      throw error;
    }
    await jobs.fail(run, end).catch(ignoreLost);
    logger.warn({ ...describe(run), err: end.cause ?? end, code: end.code }, 'document failed');
    await versions.removeUnused(run, signal);
  }

  /** False when there is nothing to give back any more. */
  private async giveBack(run: JobRun): Promise<boolean> {
    try {
      await this.options.jobs.release(run);
      return true;
    } catch (error) {
      ignoreLost(error);
      return false;
    }
  }

  /** Why this error is the last word on the document; undefined when trying again may help. */
  private endFor(run: JobRun, error: unknown): DocumentError | undefined {
    if (error instanceof DocumentError) return error;
    if (run.attempt >= this.options.maxAttempts) return new DocumentError('gave_up', { cause: error });
    if (isServiceError(error) || run.attempt < defectAttempts) return undefined;
    return new DocumentError('internal', { cause: error });
  }
}

/** Fields of a log line: ids and numbers, no content. */
function describe(run: JobRun): { tenant: string; document: string; job: string; attempt: number } {
  return { tenant: run.tenantId, document: run.documentId, job: run.jobId, attempt: run.attempt };
}

function ignoreLost(error: unknown): void {
  if (!(error instanceof RunLostError)) throw error;
}
