import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { serverUrl } from './servers.js';

/** A key space of one test file on a shared Redis; its keys are removed at the end. */
export interface TestRedis {
  readonly url: string;
  readonly prefix: string;
  close(): Promise<void>;
}

/** Makes a key space for the calling test file. */
export async function testRedis(): Promise<TestRedis> {
  const url = serverUrl('redis');
  const prefix = `lectern-test-${randomBytes(6).toString('hex')}`;
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 1, retryStrategy: () => null });
  redis.on('error', () => undefined);
  await redis.connect().catch((error: unknown) => {
    throw new Error('the Redis of the tests does not answer', { cause: error });
  });
  return {
    url,
    prefix,
    async close() {
      // Keys are `<prefix>:…`, BullMQ's in braces.
      for (const pattern of [`${prefix}*`, `{${prefix}*`]) {
        for await (const keys of redis.scanStream({ match: pattern, count: 1000 })) {
          if ((keys as string[]).length > 0) await redis.unlink(...(keys as string[]));
        }
      }
      await redis.quit();
    },
  };
}
