import { loadConfig } from '@lectern/config';
import { openPostgres } from '@lectern/database';
import { collectProcessMetrics, createLogger, createMetrics, runProcess } from '@lectern/telemetry';
import { createRedisTransport } from '@lectern/transport';
import { gatewayConfig } from './config.js';
import { createService } from './service.js';

const config = loadConfig(gatewayConfig, process.env);
const logger = createLogger({ service: 'mcp-gateway', level: config.LOG_LEVEL });

await runProcess(logger, {
  graceMs: config.SHUTDOWN_GRACE_MS,
  start: async () => {
    const metrics = createMetrics('mcp-gateway');
    collectProcessMetrics(metrics);
    const database = openPostgres({
      url: config.DATABASE_URL,
      role: 'gateway',
      poolSize: config.DATABASE_POOL_SIZE,
      onConnectionError: (error) => logger.warn({ err: error }, 'database connection lost'),
    });
    await database.assertSchema();
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
    const service = await createService(config, { transport, database, logger, metrics });
    logger.info({ url: service.url }, 'listening');
    return {
      async close() {
        await service.close();
        await transport.close();
        await database.close();
      },
    };
  },
});
