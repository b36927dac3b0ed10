import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeModel, embedPassages, embedQuery, type EmbeddingModel } from '@lectern/contracts';
import { createLogger, createMetrics } from '@lectern/telemetry';
import { testCaller } from '@lectern/testing';
import { createInProcessTransport } from '@lectern/transport';
import { createMemoryVectorCache, createService } from '@lectern/embedding';
import type { Service } from '@lectern/service';

const logger = createLogger({ service: 'test', level: 'silent' });
const metrics = createMetrics('test');
const cache = createMemoryVectorCache({ EMBEDDING_CACHE_ENTRIES: 100, EMBEDDING_CACHE_TTL_SECONDS: 60 });

describe('the embedding service', () => {
  const call = { caller: testCaller('01890000-0000-7000-8000-000000000001') };
  const transport = createInProcessTransport({ logger, metrics });
  let service: Service;
  let model: EmbeddingModel;
  beforeAll(async () => {
    service = await createService(
      { MODEL_DIR: undefined, EMBEDDING_CHILDREN: 1 },
      { transport, logger, metrics, cache },
    );
    ({ model } = await transport.client.call(describeModel, {}, call));
  });
  afterAll(async () => {
    await service.close();
    await transport.close();
  });

  it('is ready and describes the model that ships', async () => {
    expect(await service.isReady()).toBe(true);
    expect(model).toMatchObject({ provider: 'local', model: 'multilingual-e5-small-zh-en', dimension: 384 });
  });

  it('embeds a question, and takes it from the cache the second time', async () => {
    const first = await transport.client.call(embedQuery, { model, text: '数据库' }, call);
    const second = await transport.client.call(embedQuery, { model, text: '数据库' }, call);
    expect(second).toEqual(first);
    const counted = (await metrics.embeddingCache.get()).values;
    expect(counted).toContainEqual({ labels: { result: 'hit' }, value: 1 });
  });

  it('embeds passages, each with its own result', async () => {
    const texts = ['数据库', 'x '.repeat(600)];
    const { results } = await transport.client.call(embedPassages, { model, texts }, call);
    expect(results).toEqual([
      { ok: true, vector: expect.any(Float32Array) },
      { ok: false, reason: 'too_long' },
    ]);
  });

  it('does not answer for another model', async () => {
    const other = { ...model, revision: 'other' };
    await expect(transport.client.call(embedQuery, { model: other, text: 'x' }, call)).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});

describe('createService', () => {
  it('says what to do about a folder that holds no known model', async () => {
    const transport = createInProcessTransport({ logger, metrics });
    await expect(
      createService({ MODEL_DIR: '/nowhere', EMBEDDING_CHILDREN: 1 }, { transport, logger, metrics, cache }),
    ).rejects.toThrow(/MODEL_DIR: .*nowhere is no known model; name the folder after the one it holds/);
  });
});
