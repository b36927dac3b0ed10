import { describeModel, embedPassages, embedQuery, type ModelKey } from '@lectern/contracts';
import { createMemoryVectorCache, createService } from '@lectern/embedding';
import { createLogger, createMetrics } from '@lectern/telemetry';
import { testCaller } from '@lectern/testing';
import { createInProcessTransport } from '@lectern/transport';
import { runLoad } from './load.js';

/** The embedding service in this process with its children, and nothing else of the product. */
export interface EmbeddingAlone {
  readonly model: ModelKey;
  embedQuery(text: string): Promise<Float32Array>;
  /** The vector of a passage, of its beginning where the whole is too long for the model. */
  embedPassage(text: string): Promise<Float32Array>;
  close(): Promise<void>;
}

/** Opens it with the shipped model unless another folder is named. */
export async function openEmbedding(options: {
  children: number;
  modelFolder?: string | undefined;
}): Promise<EmbeddingAlone> {
  const logger = createLogger({ service: 'bench', level: 'warn' });
  const metrics = createMetrics('bench');
  const transport = createInProcessTransport({ logger, metrics });
  const limits = { EMBEDDING_CACHE_ENTRIES: 10_000, EMBEDDING_CACHE_TTL_SECONDS: 3600 };
  const service = await createService(
    { MODEL_DIR: options.modelFolder, EMBEDDING_CHILDREN: options.children },
    { transport, logger, metrics, cache: createMemoryVectorCache(limits) },
  );
  const call = { caller: testCaller('01890000-0000-7000-8000-000000000001') };
  const { model } = await transport.client.call(describeModel, {}, call);
  const embedPassage = async (text: string): Promise<Float32Array> => {
    const { results } = await transport.client.call(embedPassages, { model, texts: [text] }, call);
    const [result] = results;
    return result?.ok ? result.vector : embedPassage(text.slice(0, Math.floor(text.length * 0.95)));
  };
  return {
    model,
    embedPassage,
    embedQuery: async (text) => (await transport.client.call(embedQuery, { model, text }, call)).vector,
    async close() {
      await service.close();
      await transport.close();
    },
  };
}

/** Embeds all texts, with a few requests under way as busy callers would have, and gives the vectors in their order. */
export async function embedAll(
  texts: readonly string[],
  embed: (text: string) => Promise<Float32Array>,
): Promise<{ vectors: Float32Array[]; seconds: number }> {
  const vectors: Float32Array[] = [];
  const { seconds } = await runLoad([...texts.entries()], 8, async ([index, text]) => {
    vectors[index] = await embed(text);
  });
  return { vectors, seconds };
}
