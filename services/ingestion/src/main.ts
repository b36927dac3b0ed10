import { createFileBlobStore } from '@lectern/blobs';
import { runService } from '@lectern/service';
import { ingestionConfig } from './config.js';
import { createBullMqJobQueue } from './jobs/bullmq-job-queue.js';
import { jobBackOff } from './jobs/job-queue.js';
import { createService } from './service.js';

// Deleting a large document and counting a large tenant's terms take longer than what a caller waits for.
const statementTimeoutMs = 60_000;

await runService(
  {
    name: 'ingestion',
    schema: ingestionConfig,
    async start({ config, logger, metrics, openDatabase, transport }) {
      const database = openDatabase('ingestion', { statementTimeoutMs });
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
      return createService(config, { transport, database, blobs, jobs, logger, metrics });
    },
  },
  process.env,
);
