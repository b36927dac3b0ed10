import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger, createMetrics } from '@lectern/telemetry';
import { fakeModel, fakeVector, testCaller } from '@lectern/testing';
import type { CallContext } from '@lectern/transport';
import { createMemoryVectorCache } from '../cache/memory-cache.js';
import type { QueryVectorCache } from '../cache/query-vector-cache.js';
import type { EmbeddingProvider } from '../providers/embedding-provider.js';
import { EmbedService } from './embed.service.js';

const tenants = ['01890000-0000-7000-8000-000000000001', '01890000-0000-7000-8000-000000000002'] as const;
const logger = createLogger({ service: 'test', level: 'silent' });

function callOf(tenantId: string = tenants[0]): CallContext {
  return { caller: testCaller(tenantId), deadline: Date.now() + 5000, signal: new AbortController().signal };
}

/** Gives the vectors of the shared fake, and remembers which questions it was asked. */
class FakeProvider implements EmbeddingProvider {
  readonly model = fakeModel;
  readonly asked: string[] = [];
  vectorOf: (text: string) => Float32Array<ArrayBuffer> = (text) => new Float32Array(fakeVector(text));

  async embedQuery(text: string) {
    this.asked.push(text);
    return { vector: this.vectorOf(text), truncated: text.length > 20 };
  }

  async embedPassages(texts: readonly string[]) {
    return texts.map((text) => ({ ok: true as const, vector: this.vectorOf(text) }));
  }

  isReady = () => true;
  close = async () => undefined;
}

const brokenCache: QueryVectorCache = {
  get: () => Promise.reject(new Error('away')),
  set: () => Promise.reject(new Error('away')),
  close: async () => undefined,
};

describe('EmbedService', () => {
  let provider: FakeProvider;
  let cache: QueryVectorCache;
  const service = () => new EmbedService({ provider, cache, logger, metrics: createMetrics('test') });

  beforeEach(() => {
    provider = new FakeProvider();
    cache = createMemoryVectorCache({ EMBEDDING_CACHE_ENTRIES: 100, EMBEDDING_CACHE_TTL_SECONDS: 60 });
  });

  it('computes a question once and takes it from the cache afterwards', async () => {
    const embed = service();
    const first = await embed.embedQuery(fakeModel, 'question', callOf());
    const second = await embed.embedQuery(fakeModel, 'question', callOf());
    expect(second).toEqual({ vector: fakeVector('question'), truncated: false });
    expect(second).toEqual(first);
    expect(provider.asked).toEqual(['question']);
  });

  it('says that a question was cut, also when it comes from the cache', async () => {
    const embed = service();
    const long = 'a question that is longer than the model takes';
    expect((await embed.embedQuery(fakeModel, long, callOf())).truncated).toBe(true);
    expect((await embed.embedQuery(fakeModel, long, callOf())).truncated).toBe(true);
  });

  it('computes equal questions at the same time once', async () => {
    const embed = service();
    await Promise.all([1, 2, 3].map(() => embed.embedQuery(fakeModel, 'question', callOf())));
    expect(provider.asked).toEqual(['question']);
  });

  it('shares nothing between tenants', async () => {
    const embed = service();
    for (const tenant of tenants) await embed.embedQuery(fakeModel, 'question', callOf(tenant));
    expect(provider.asked).toEqual(['question', 'question']);
  });

  it('answers without its cache', async () => {
    cache = brokenCache;
    const { vector } = await service().embedQuery(fakeModel, 'question', callOf());
    expect(vector).toEqual(fakeVector('question'));
  });

  it('takes no vector from the cache that can not be compared', async () => {
    cache = { ...brokenCache, get: async () => ({ vector: new Float32Array(3), truncated: false }) };
    const { vector } = await service().embedQuery(fakeModel, 'question', callOf());
    expect(vector).toEqual(fakeVector('question'));
  });

  it.each([
    ['of another dimension', new Float32Array(fakeModel.dimension + 1).fill(1)],
    ['that is not finite', new Float32Array(fakeModel.dimension).fill(Number.NaN)],
    ['of zeros', new Float32Array(fakeModel.dimension)],
  ])('gives nobody a vector %s', async (_name, vector) => {
    provider.vectorOf = (text) => (text === 'bad' ? vector : new Float32Array(fakeVector(text)));
    const embed = service();
    await expect(embed.embedQuery(fakeModel, 'bad', callOf())).rejects.toThrow(/compared/);
    expect(await embed.embedPassages(fakeModel, ['good', 'bad'], callOf())).toEqual([
      { ok: true, vector: fakeVector('good') },
      { ok: false, reason: 'rejected' },
    ]);
  });

  it('refuses to answer for another model than its own', async () => {
    const other = { ...fakeModel, revision: '2' };
    await expect(service().embedQuery(other, 'question', callOf())).rejects.toMatchObject({ code: 'unavailable' });
    await expect(service().embedPassages(other, ['x'], callOf())).rejects.toMatchObject({ code: 'unavailable' });
  });
});
