import { createFileBlobStore } from '@lectern/blobs';
import { loadConfigOrExit } from '@lectern/config';
import { openPostgres } from '@lectern/database';
import { collectProcessMetrics, createLogger, createMetrics, runProcess, startHealthServer } from '@lectern/telemetry';
import { createRedisTransport } from '@lectern/transport';
import { ingestionConfig } from './config.js';
import { createBullMqJobQueue } from './jobs/bullmq-job-queue.js';
import { jobBackOff } from './jobs/job-queue.js';
import { createService } from './service.js';

// Deleting a large document and counting a large tenant's terms take longer than what a caller waits for.
const statementTimeoutMs = 60_000;

const config = loadConfigOrExit(ingestionConfig, process.env);
const logger = createLogger({ service: 'ingestion', level: config.LOG_LEVEL });
const metrics = createMetrics('ingestion');
collectProcessMetrics(metrics);

await runProcess(logger, {
  graceMs: config.SHUTDOWN_GRACE_MS,
  async start() {
    const database = openPostgres({
      url: config.DATABASE_URL,
      role: 'ingestion',
      poolSize: config.DATABASE_POOL_SIZE,
      statementTimeoutMs,
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
    const blobs = await createFileBlobStore(config.BLOB_DIR);
    const jobs = await createBullMqJobQueue({
      url: config.REDIS_URL,
      prefix: config.REDIS_PREFIX,
      concurrency: config.INGESTION_CONCURRENCY,
      attempts: config.INGESTION_MAX_ATTEMPTS,
      backOff: jobBackOff,
      lockMs: config.INGESTION_LEASE_MS * 1.5,
      logger,
    });
    const service = await createService(config, { transport, database, blobs, jobs, logger, metrics });
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
