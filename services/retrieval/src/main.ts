import { loadConfigOrExit } from '@lectern/config';
import { openPostgres } from '@lectern/database';
import { collectProcessMetrics, createLogger, createMetrics, runProcess, startHealthServer } from '@lectern/telemetry';
import { createRedisTransport } from '@lectern/transport';
import { retrievalConfig } from './config.js';
import { createService } from './service.js';

const config = loadConfigOrExit(retrievalConfig, process.env);
const logger = createLogger({ service: 'retrieval', level: config.LOG_LEVEL });
const metrics = createMetrics('retrieval');
collectProcessMetrics(metrics);

await runProcess(logger, {
  graceMs: config.SHUTDOWN_GRACE_MS,
  async start() {
    const database = openPostgres({
      url: config.DATABASE_URL,
      role: 'retrieval',
      poolSize: config.DATABASE_POOL_SIZE,
      onConnectionError: (error) => logger.warn({ err: error }, 'database connection lost'),
    });
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
    const service = await createService(config, { transport, database });
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
        await database.close();
        await health.close();
      },
    };
  },
});
