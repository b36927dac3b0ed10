import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@lectern/telemetry';
import { eventually, startRedis, testRedis } from '@lectern/testing';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { createBullMqJobQueue } from '../src/jobs/bullmq-job-queue.js';
import { createInProcessJobQueue } from '../src/jobs/in-process-job-queue.js';
import { describeJobQueue } from './job-queue.conformance.js';

const logger = createLogger({ service: 'test', level: 'silent' });

describeJobQueue('in-process', async () => ({
  open: async (options) => createInProcessJobQueue(options),
  close: async () => undefined,
}));

describeJobQueue('BullMQ', async () => {
  const redis = await testRedis();
  return {
    open: (options) =>
      createBullMqJobQueue({ ...options, url: redis.url, prefix: redis.prefix, lockMs: 2_000, logger }),
    close: () => redis.close(),
  };
});

describe('the BullMQ job queue without its Redis', () => {
  const options = { concurrency: 1, attempts: 5, backOff: { firstMs: 10, longestMs: 40 }, lockMs: 2_000, logger };

  it('closes while Redis is away', async () => {
    const redis = await startRedis();
    const queue = await createBullMqJobQueue({ ...options, url: redis.url, prefix: 'test' });
    queue.work(async () => undefined);
    await eventually('the worker is connected', () => queue.isConnected());
    await redis.stop();
    await expect(queue.close()).resolves.toBeUndefined();
    await redis.close();
  });

  it('refuses new jobs at once, and goes on when Redis is back', async () => {
    const redis = await startRedis();
    const queue = await createBullMqJobQueue({ ...options, url: redis.url, prefix: 'test' });
    const seen: string[] = [];
    queue.work(async ({ jobId }) => void seen.push(jobId));
    await redis.stop();
    await expect(queue.enqueue({ tenantId: 't', jobId: 'lost' }, 1)).rejects.toThrow();
    expect(await queue.isConnected()).toBe(false);
    await redis.start();
    await eventually('a job is taken and done', async () => {
      await queue.enqueue({ tenantId: 't', jobId: 'found' }, 1).catch(() => undefined);
      return seen.includes('found');
    });
    await queue.close();
    await redis.close();
  });

  it('gives the job of a dead worker to another one', async () => {
    const redis = await startRedis();
    const queue = await createBullMqJobQueue({ ...options, url: redis.url, prefix: 'test', lockMs: 400 });
    await queue.enqueue({ tenantId: 't', jobId: 'a' }, 1);
    const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
    // Takes the job and never renews its lock.
    const dead = new Worker('ingestion', null, { prefix: '{test}', connection, lockDuration: 400, autorun: false });
    expect((await dead.getNextJob('token'))?.id).toBe('a');
    const seen: string[] = [];
    queue.work(async ({ jobId }) => void seen.push(jobId));
    await eventually('the job runs elsewhere', () => seen.length === 1);
    await dead.close(true);
    connection.disconnect();
    await queue.close();
    await redis.close();
  });
});
