import { LRUCache } from 'lru-cache';
import type { QueryVector } from '../providers/embedding-provider.js';
import type { CacheLimits, QueryVectorCache } from './query-vector-cache.js';

/** A cache of this process; the entry that was not used for longest goes first. */
export function createMemoryVectorCache(limits: CacheLimits): QueryVectorCache {
  const entries = new LRUCache<string, QueryVector>({
    max: limits.EMBEDDING_CACHE_ENTRIES,
    ttl: limits.EMBEDDING_CACHE_TTL_SECONDS * 1000,
  });
  return {
    get: async (key) => entries.get(key),
    set: async (key, value) => void entries.set(key, value),
    close: async () => entries.clear(),
  };
}
