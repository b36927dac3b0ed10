import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@lectern/telemetry';
import type { AbandonedUploads } from '../documents/abandoned-uploads.js';
import type { JobQueue } from './job-queue.js';
import type { OutstandingJobsRepository } from './outstanding.repository.js';

export interface SweeperOptions {
  outstanding: OutstandingJobsRepository;
  uploads: AbandonedUploads;
  queue: JobQueue;
  intervalMs: number;
  /** Milliseconds after which an untouched job is looked after. */
  staleMs: number;
  logger: Logger;
}

const jobsAtOnce = 500;

/**
 * Puts jobs into the queue that the database has and the queue may have lost: by a crash between the two, by an emptied
 * Redis, by the end of the process whose queue it was. The queue ignores those that it still has. And removes the files
 * that broken uploads have left.
 */
export class Sweeper {
  private readonly closing = new AbortController();
  private loop: Promise<void> | undefined;

  constructor(private readonly options: SweeperOptions) {}

  /** Sweeps everything once, then what is stale from time to time. */
  start(): void {
    this.loop = this.run();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.loop;
  }

  /** Queues all jobs that nobody has touched for so long. */
  async sweep(staleMs: number): Promise<void> {
    const { outstanding } = this.options;
    const seen = new Set<string>();
    for (;;) {
      const found = (await outstanding.untouchedFor(staleMs, jobsAtOnce)).filter(({ jobId }) => !seen.has(jobId));
      for (const [tenantId, jobs] of Map.groupBy(found, (job) => job.tenantId)) {
        await this.requeue(
          tenantId,
          jobs.map((job) => job.jobId),
        );
      }
      for (const { jobId } of found) seen.add(jobId);
      if (found.length < jobsAtOnce || this.closing.signal.aborted) return;
    }
  }

  private async requeue(tenantId: string, jobIds: readonly string[]): Promise<void> {
    const priority = await this.options.outstanding.touch(tenantId, jobIds);
    for (const jobId of jobIds) await this.options.queue.enqueue({ tenantId, jobId }, priority);
  }

  private async run(): Promise<void> {
    const { uploads, intervalMs, staleMs, logger } = this.options;
    let age = 0;
    while (!this.closing.signal.aborted) {
      try {
        await this.sweep(age);
        age = staleMs;
        await uploads.remove();
      } catch (error) {
        logger.warn({ err: error }, 'sweep failed');
      }
      await delay(intervalMs, undefined, { signal: this.closing.signal }).catch(() => undefined);
    }
  }
}
