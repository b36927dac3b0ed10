import { loadConfigOrExit } from '@lectern/config';
import { collectProcessMetrics, createLogger, createMetrics, runProcess, startHealthServer } from '@lectern/telemetry';
import { createRedisTransport } from '@lectern/transport';
import { createRedisVectorCache } from './cache/redis-cache.js';
import { embeddingConfig } from './config.js';
import { createService } from './service.js';

const config = loadConfigOrExit(embeddingConfig, process.env);
const logger = createLogger({ service: 'embedding', level: config.LOG_LEVEL });
const metrics = createMetrics('embedding');
collectProcessMetrics(metrics);

await runProcess(logger, {
  graceMs: config.SHUTDOWN_GRACE_MS,
  async start() {
    const cache = await createRedisVectorCache(config, logger);
    const transport = await createRedisTransport({
      url: config.REDIS_URL,
      prefix: config.REDIS_PREFIX,
      key: config.TRANSPORT_KEY,
      concurrency: config.TRANSPORT_CONCURRENCY,
      maxQueue: config.TRANSPORT_MAX_QUEUE,
      graceMs: config.SHUTDOWN_GRACE_MS,
      logger,
      metrics,
    });
    const service = await createService(config, { transport, logger, metrics, cache });
    const health = await startHealthServer({
      host: config.HEALTH_HOST,
      port: config.HEALTH_PORT,
      metrics,
      isReady: () => service.isReady(),
    });
    logger.info({ healthPort: health.port }, 'ready');
    return {
      async close() {
        await service.close();
        await transport.close();
        await cache.close();
        await health.close();
      },
    };
  },
});
