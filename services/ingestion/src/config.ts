import {
  postgresSettings,
  processSettings,
  redisSettings,
  telemetrySettings,
  transportSettings,
  wholeNumber,
} from '@lectern/config';
import { z } from 'zod';

/** What ingestion itself can be told; embedded mode has these settings alone. */
export const jobSettings = {
  INGESTION_CONCURRENCY: wholeNumber({ min: 1, max: 64, fallback: 4 }).describe(
    'Documents that a replica ingests at once; embedded mode ingests two.',
  ),
  INGESTION_MAX_ATTEMPTS: wholeNumber({ min: 1, max: 10_000, fallback: 100 }).describe(
    'Runs after which a document fails for good. Waits between them grow to two minutes, so 100 runs take about 3 hours.',
  ),
  INGESTION_LEASE_MS: wholeNumber({ min: 1_000, max: 600_000, fallback: 10_000 }).describe(
    'Milliseconds of silence after which the run of a document counts as dead and another replica takes over.',
  ),
  INGESTION_SWEEP_INTERVAL_MS: wholeNumber({ min: 100, max: 3_600_000, fallback: 5_000 }).describe(
    'Milliseconds between two looks for documents whose job has vanished from the queue.',
  ),
};

export const ingestionConfig = z.object({
  ...postgresSettings,
  ...redisSettings,
  ...transportSettings,
  ...telemetrySettings,
  ...processSettings,
  ...jobSettings,
  BLOB_DIR: z.string().min(1).describe('Folder of the uploaded files; all replicas of ingestion share it.'),
});
export type JobConfig = Pick<z.output<typeof ingestionConfig>, keyof typeof jobSettings>;
