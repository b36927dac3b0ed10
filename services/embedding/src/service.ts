import { availableParallelism } from 'node:os';
import type { Logger, Metrics } from '@lectern/telemetry';
import type { Service } from '@lectern/service';
import { startMicroservice, type Transport } from '@lectern/transport';
import { AppModule } from './app.module.js';
import type { QueryVectorCache } from './cache/query-vector-cache.js';
import { shippedModel, type EmbeddingConfig } from './config.js';
import { EmbedService } from './embed/embed.service.js';
import { createLocalProvider } from './providers/local/local-provider.js';

export interface EmbeddingPorts {
  transport: Transport;
  logger: Logger;
  metrics: Metrics;
  cache: QueryVectorCache;
}

/** Loads the model and starts answering the operations of embedding. Throws a ConfigError when MODEL_DIR can't be used. */
export async function createService(
  config: Pick<EmbeddingConfig, 'MODEL_DIR' | 'EMBEDDING_CHILDREN'>,
  ports: EmbeddingPorts,
): Promise<Service> {
  const provider = await createLocalProvider({
    modelFolder: config.MODEL_DIR ?? shippedModel,
    children: config.EMBEDDING_CHILDREN || availableParallelism(),
    logger: ports.logger,
  });
  const running = await startMicroservice(
    AppModule.with(new EmbedService({ ...ports, provider })),
    ports.transport.serverFor('embedding'),
  ).catch(async (error: unknown) => {
    await provider.close();
    throw error;
  });
  return {
    isReady: async () => provider.isReady() && ports.transport.isConnected(),
    async close() {
      await running.close();
      await provider.close();
    },
  };
}
