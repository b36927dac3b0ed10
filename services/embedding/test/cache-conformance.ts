import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@lectern/testing';
import type { CacheLimits, QueryVectorCache } from '../src/cache/query-vector-cache.js';

export interface CacheHarness {
  cache: QueryVectorCache;
  close(): Promise<void>;
}

const roomy = { EMBEDDING_CACHE_ENTRIES: 100, EMBEDDING_CACHE_TTL_SECONDS: 60 };
const entry = (value: number) => ({ vector: new Float32Array([value, -0.1, 3e-20]), truncated: false });

/** What every cache of query vectors has to do. */
export function describeCache(name: string, open: (limits: CacheLimits) => Promise<CacheHarness>): void {
  describe(`the ${name} cache`, () => {
    const opened: CacheHarness[] = [];
    let cache: QueryVectorCache;
    const openWith = async (limits: CacheLimits): Promise<QueryVectorCache> => {
      const harness = await open(limits);
      opened.push(harness);
      return harness.cache;
    };
    beforeEach(async () => {
      cache = await openWith(roomy);
    });
    afterEach(async () => {
      for (const harness of opened.splice(0)) await harness.close();
    });

    it('knows nothing at first', async () => {
      expect(await cache.get('key')).toBeUndefined();
    });

    it('gives a vector back bit by bit, and whether its text was cut', async () => {
      await cache.set('whole', entry(0.1));
      await cache.set('cut', { ...entry(0.2), truncated: true });
      expect(await cache.get('whole')).toEqual(entry(0.1));
      expect(await cache.get('cut')).toEqual({ ...entry(0.2), truncated: true });
    });

    it('keeps the last value of a key', async () => {
      await cache.set('key', entry(1));
      await cache.set('key', entry(2));
      expect(await cache.get('key')).toEqual(entry(2));
    });

    it('forgets a vector after its time', async () => {
      const brief = await openWith({ ...roomy, EMBEDDING_CACHE_TTL_SECONDS: 0.1 });
      await brief.set('key', entry(1));
      await eventually('the entry to go', async () => (await brief.get('key')) === undefined);
    });

    it('lets old vectors go for new ones when it is full', async () => {
      const small = await openWith({ ...roomy, EMBEDDING_CACHE_ENTRIES: 3 });
      const keys = ['a', 'b', 'c', 'd', 'e'];
      for (const [index, key] of keys.entries()) {
        await small.set(key, entry(index));
        // Writing times are what Redis goes by, to the millisecond.
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      const kept = await Promise.all(keys.map(async (key) => ((await small.get(key)) ? key : undefined)));
      expect(kept).toEqual([undefined, undefined, 'c', 'd', 'e']);
    });
  });
}
