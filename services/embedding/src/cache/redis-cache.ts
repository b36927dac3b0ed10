import type { Logger } from '@lectern/telemetry';
import { Redis } from 'ioredis';
import type { QueryVector } from '../providers/embedding-provider.js';
import type { CacheLimits, QueryVectorCache } from './query-vector-cache.js';

export type RedisCacheConfig = CacheLimits & { REDIS_URL: string; REDIS_PREFIX: string };

/** Milliseconds after which computing a vector is quicker than waiting for Redis. */
const patienceMs = 250;

/**
 * Redis evicts nothing by itself (job queues forbid it), so an index by time of writing bounds the number of entries.
 * KEYS: entry, index. ARGV: value, time to live in milliseconds, largest number of entries.
 */
const storeScript = `
  local time = redis.call('TIME')
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  redis.call('ZADD', KEYS[2], time[1] * 1000 + math.floor(time[2] / 1000), KEYS[1])
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
  local surplus = redis.call('ZCARD', KEYS[2]) - ARGV[3]
  if surplus > 0 then
    local oldest = redis.call('ZPOPMIN', KEYS[2], math.min(surplus, 1000))
    for position = 1, #oldest, 2 do redis.call('UNLINK', oldest[position]) end
  end`;

/** A cache that all replicas share; the entry that was written first goes first. Connects by itself, again and again. */
export async function createRedisVectorCache(config: RedisCacheConfig, logger: Logger): Promise<QueryVectorCache> {
  const prefix = config.REDIS_PREFIX;
  const limits = [config.EMBEDDING_CACHE_TTL_SECONDS * 1000, config.EMBEDDING_CACHE_ENTRIES];
  const redis = new Redis(config.REDIS_URL, {
    connectionName: 'lectern-embedding-cache',
    lazyConnect: true,
    // A cache that is away is a miss, at once.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: patienceMs,
    retryStrategy: (attempt) => Math.min(50 * attempt, 1000),
  });
  redis.on('error', (error: unknown) => logger.debug({ err: error }, 'cache connection lost'));
  await redis.connect().catch((error: unknown) => logger.warn({ err: error }, 'the cache of query vectors is away'));
  const entryKey = (key: string): string => `${prefix}:query-vector:${key}`;
  return {
    async get(key) {
      const bytes = await redis.getBuffer(entryKey(key));
      return bytes ? decode(bytes) : undefined;
    },
    async set(key, value) {
      const keys = [entryKey(key), `${prefix}:query-vectors`];
      await redis.eval(storeScript, keys.length, ...keys, encode(value), ...limits);
    },
    close: async () => redis.disconnect(),
  };
}

/** One byte that says whether the text was cut, then the vector as float32. */
function encode({ vector, truncated }: QueryVector): Buffer {
  return Buffer.concat([
    Buffer.from([truncated ? 1 : 0]),
    Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
  ]);
}

function decode(bytes: Buffer): QueryVector {
  // A copy, since float32 values must begin at a multiple of four.
  return { truncated: bytes[0] === 1, vector: new Float32Array(new Uint8Array(bytes.subarray(1)).buffer) };
}
