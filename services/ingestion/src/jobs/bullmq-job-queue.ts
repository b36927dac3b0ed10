import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@lectern/telemetry';
import { Queue, UnrecoverableError, Worker } from 'bullmq';
import { BullMQOtel } from 'bullmq-otel';
import { Redis, type RedisOptions } from 'ioredis';
import { backOffMs, type JobHandler, type JobPointer, type JobQueue, type JobQueueOptions } from './job-queue.js';

export interface BullMqOptions extends JobQueueOptions {
  url: string;
  /** First part of every key. */
  prefix: string;
  /** Milliseconds after which a job counts as abandoned when its worker has not renewed its lock. */
  lockMs: number;
  logger: Logger;
}

const queueName = 'ingestion';
const highestPriority = 2 ** 21 - 1;

// Redis may go away in the middle of it.
const closeMs = 5_000;

/** A job that runs in this process. */
interface Running {
  controller: AbortController;
  cancelled: boolean;
  ended: Promise<void>;
}

/** Jobs that all replicas share, in Redis. Resolves when Redis is reached. */
export async function createBullMqJobQueue(options: BullMqOptions): Promise<JobQueue> {
  // A request must not wait for Redis to come back, while a worker has nothing better to do.
  const producer = connect(options, { lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0 });
  await producer.connect();
  const queue = new BullMqJobQueue(options, producer);
  await queue.untilReady();
  return queue;
}

class BullMqJobQueue implements JobQueue {
  private readonly queue: Queue<JobPointer>;
  private readonly connections: Redis[];
  private readonly shared: { prefix: string; telemetry: BullMQOtel };
  private readonly running = new Map<string, Running>();
  private worker: Worker<JobPointer> | undefined;
  private closed = false;

  constructor(
    private readonly options: BullMqOptions,
    private readonly producer: Redis,
  ) {
    this.connections = [producer];
    // The braces keep a queue's keys in one slot of a Redis cluster.
    this.shared = { prefix: `{${options.prefix}}`, telemetry: new BullMQOtel() };
    this.queue = new Queue<JobPointer>(queueName, {
      ...this.shared,
      connection: producer,
      defaultJobOptions: {
        attempts: options.attempts,
        backoff: { type: 'custom' },
        // An id that stayed would keep the sweeper from putting its job back.
        removeOnComplete: true,
        removeOnFail: true,
      },
    });
    this.queue.on('error', (error) => options.logger.warn({ err: error }, 'job queue failed'));
  }

  /** Without it, a Redis that goes away at this moment would leave a queue that never works. */
  async untilReady(): Promise<void> {
    await this.queue.waitUntilReady();
  }

  async enqueue({ tenantId, jobId }: JobPointer, priority: number): Promise<void> {
    await this.queue.add('ingest', { tenantId, jobId }, { jobId, priority: Math.min(priority, highestPriority) });
  }

  async cancel(jobId: string): Promise<void> {
    const running = this.running.get(jobId);
    if (running) {
      running.cancelled = true;
      running.controller.abort(new Error('the job was cancelled'));
    }
    await this.queue.remove(jobId);
  }

  work(handler: JobHandler): void {
    const { concurrency, lockMs, backOff, logger } = this.options;
    // Not lazy: a worker whose first try to connect fails would never begin.
    const connection = connect(this.options, { maxRetriesPerRequest: null });
    this.connections.push(connection);
    this.worker = new Worker<JobPointer>(queueName, ({ data }) => this.run(handler, data), {
      ...this.shared,
      connection,
      concurrency,
      lockDuration: lockMs,
      stalledInterval: lockMs / 2,
      // Seconds: a wait that a dead connection swallowed is noticed one second after it should have ended.
      drainDelay: 1,
      // Deaths are counted in the database, as attempts; the queue only has to bring the job back.
      maxStalledCount: 1_000,
      settings: { backoffStrategy: (failures) => backOffMs(backOff, failures) },
    });
    this.worker.on('error', (error) => logger.warn({ err: error }, 'job worker failed'));
  }

  async isConnected(): Promise<boolean> {
    return !this.closed && this.connections.every((connection) => connection.status === 'ready');
  }

  async close(): Promise<void> {
    this.closed = true;
    // A worker without Redis would wait for it; its jobs are waited for here.
    const force = this.producer.status !== 'ready';
    const workerClosed = this.worker?.close(force);
    for (const { controller } of this.running.values()) controller.abort(new Error('the queue is closing'));
    await Promise.all([...this.running.values()].map(({ ended }) => ended));
    await withinCloseTime(workerClosed);
    await withinCloseTime(force ? undefined : this.queue.close());
    for (const connection of this.connections) connection.disconnect();
  }

  private async run(handler: JobHandler, job: JobPointer): Promise<void> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const running: Running = { controller: new AbortController(), cancelled: false, ended };
    this.running.set(job.jobId, running);
    try {
      await handler({ tenantId: job.tenantId, jobId: job.jobId }, running.controller.signal);
    } catch (error) {
      // The queue must not try again what was cancelled.
      throw running.cancelled ? new UnrecoverableError('the job was cancelled') : error;
    } finally {
      this.running.delete(job.jobId);
      end();
    }
  }
}

async function withinCloseTime(work: Promise<void> | undefined): Promise<void> {
  await Promise.race([work, delay(closeMs, undefined, { ref: false })]);
}

function connect({ url, logger }: BullMqOptions, options: RedisOptions): Redis {
  const redis = new Redis(url, {
    ...options,
    connectionName: 'lectern-jobs',
    retryStrategy: (attempt) => Math.min(50 * attempt, 1000),
  });
  redis.on('error', (error: unknown) => logger.debug({ err: error }, 'job connection failed'));
  return redis;
}
