/** What a queue carries: where to look for the job, and nothing of its content. */
export interface JobPointer {
  tenantId: string;
  jobId: string;
}

/** Does a job. A rejection means that it is to be tried again later; the signal aborts when it has to stop. */
export type JobHandler = (job: JobPointer, signal: AbortSignal) => Promise<void>;

/**
 * A way to get work done, never the record of what there is to do: that is in the database, and a queue that lost all
 * its jobs is filled from there.
 */
export interface JobQueue {
  /**
   * Puts a job in line; those with a lower priority number (from 1) go first. Does nothing while the queue has a job of
   * this id. Rejects at once when the queue can't be reached.
   */
  enqueue(job: JobPointer, priority: number): Promise<void>;
  /** Takes a waiting job out of the line, and aborts it where it runs in this process. */
  cancel(jobId: string): Promise<void>;
  /** Begins to hand out jobs. Called once. */
  work(handler: JobHandler): void;
  isConnected(): Promise<boolean>;
  /** Hands out no more jobs, aborts the running ones and waits for them to end. */
  close(): Promise<void>;
}

export interface JobQueueOptions {
  /** Jobs that this process runs at once. */
  concurrency: number;
  /** Runs after which the queue forgets a job that always fails. */
  attempts: number;
  backOff: BackOff;
}

export interface BackOff {
  /** Milliseconds before the second run; each further wait is twice as long. */
  firstMs: number;
  longestMs: number;
}

/** How long a document waits between its tries: soon at first, since most faults pass, then every two minutes. */
export const jobBackOff: BackOff = { firstMs: 1_000, longestMs: 120_000 };

/** Milliseconds to wait after the given number of failed runs in a row. */
export function backOffMs({ firstMs, longestMs }: BackOff, failures: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
}
