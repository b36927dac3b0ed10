import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@lectern/telemetry';
import { eventually, startRedis, testRedis } from '@lectern/testing';
import { Redis } from 'ioredis';
import { createMemoryVectorCache } from '../src/cache/memory-cache.js';
import { createRedisVectorCache } from '../src/cache/redis-cache.js';
import { describeCache } from './cache-conformance.js';

const logger = createLogger({ service: 'test', level: 'silent' });
const limits = { EMBEDDING_CACHE_ENTRIES: 10, EMBEDDING_CACHE_TTL_SECONDS: 60 };
const entry = { vector: new Float32Array([1, 2]), truncated: false };

describeCache('memory', async (given) => {
  const cache = createMemoryVectorCache(given);
  return { cache, close: () => cache.close() };
});

describeCache('Redis', async (given) => {
  const redis = await testRedis();
  const cache = await createRedisVectorCache({ ...given, REDIS_URL: redis.url, REDIS_PREFIX: redis.prefix }, logger);
  return {
    cache,
    async close() {
      await cache.close();
      await redis.close();
    },
  };
});

describe('the Redis cache', () => {
  it('gives every key a time to live, since Redis evicts nothing by itself', async () => {
    const { url, prefix, close } = await testRedis();
    const cache = await createRedisVectorCache({ ...limits, REDIS_URL: url, REDIS_PREFIX: prefix }, logger);
    await cache.set('key', entry);
    const redis = new Redis(url);
    const keys = await redis.keys(`${prefix}*`);
    const times = await Promise.all(keys.map((key) => redis.pttl(key)));
    await redis.quit();
    await cache.close();
    await close();
    expect(keys).toHaveLength(2);
    for (const time of times) expect(time).toBeGreaterThan(0);
  });

  it('fails at once while Redis is away, and works again when it is back', async () => {
    const redis = await startRedis();
    await redis.stop();
    const cache = await createRedisVectorCache({ ...limits, REDIS_URL: redis.url, REDIS_PREFIX: 'test' }, logger);
    await expect(cache.get('key')).rejects.toThrow();
    await redis.start();
    await eventually('the cache to come back', () =>
      cache.set('key', entry).then(
        () => true,
        () => false,
      ),
    );
    expect(await cache.get('key')).toEqual(entry);
    await cache.close();
    await redis.close();
  });
});
