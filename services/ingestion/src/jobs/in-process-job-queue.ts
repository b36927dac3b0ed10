import { backOffMs, type JobHandler, type JobPointer, type JobQueue, type JobQueueOptions } from './job-queue.js';

interface Entry {
  job: JobPointer;
  priority: number;
  failures: number;
  state: 'waiting' | 'delayed' | 'running';
  /** Aborts the running job. */
  controller: AbortController;
  timer?: NodeJS.Timeout;
}

/** Jobs of this process, held in memory. */
export function createInProcessJobQueue(options: JobQueueOptions): JobQueue {
  return new InProcessJobQueue(options);
}

class InProcessJobQueue implements JobQueue {
  private readonly entries = new Map<string, Entry>();
  private readonly running = new Set<Promise<void>>();
  private handler: JobHandler | undefined;
  private closing = false;

  constructor(private readonly options: JobQueueOptions) {}

  async enqueue(job: JobPointer, priority: number): Promise<void> {
    if (this.closing) throw new Error('the queue is closed');
    if (this.entries.has(job.jobId)) return;
    this.entries.set(job.jobId, {
      job: { tenantId: job.tenantId, jobId: job.jobId },
      priority,
      failures: 0,
      state: 'waiting',
      controller: new AbortController(),
    });
    this.startNext();
  }

  async cancel(jobId: string): Promise<void> {
    const entry = this.entries.get(jobId);
    if (!entry) return;
    clearTimeout(entry.timer);
    entry.controller.abort(new Error('the job was cancelled'));
    if (entry.state !== 'running') this.entries.delete(jobId);
  }

  work(handler: JobHandler): void {
    this.handler = handler;
    this.startNext();
  }

  async isConnected(): Promise<boolean> {
    return !this.closing;
  }

  async close(): Promise<void> {
    this.closing = true;
    for (const entry of this.entries.values()) {
      clearTimeout(entry.timer);
      entry.controller.abort(new Error('the queue is closing'));
    }
    await Promise.all(this.running);
    this.entries.clear();
  }

  private startNext(): void {
    while (this.handler && !this.closing && this.running.size < this.options.concurrency) {
      const entry = this.first();
      if (!entry) return;
      entry.state = 'running';
      const run = this.run(entry, this.handler).finally(() => {
        this.running.delete(run);
        this.startNext();
      });
      this.running.add(run);
    }
  }

  /** The waiting job of the lowest priority number; of equal ones, the oldest. */
  private first(): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.entries.values()) {
      if (entry.state === 'waiting' && (!first || entry.priority < first.priority)) first = entry;
    }
    return first;
  }

  private async run(entry: Entry, handler: JobHandler): Promise<void> {
    try {
      await handler(entry.job, entry.controller.signal);
      this.entries.delete(entry.job.jobId);
    } catch {
      this.retryLater(entry);
    }
  }

  private retryLater(entry: Entry): void {
    entry.failures += 1;
    if (entry.controller.signal.aborted || entry.failures >= this.options.attempts) {
      this.entries.delete(entry.job.jobId);
      return;
    }
    entry.state = 'delayed';
    entry.timer = setTimeout(
      () => {
        entry.state = 'waiting';
        this.startNext();
      },
      backOffMs(this.options.backOff, entry.failures),
    );
  }
}
