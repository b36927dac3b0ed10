import { fileURLToPath } from 'node:url';
import { processSettings, redisSettings, telemetrySettings, transportSettings, wholeNumber } from '@lectern/config';
import { z } from 'zod';

/** The model that ships with the project: at the same distance from the sources and from the build. */
export const shippedModel = fileURLToPath(new URL('../../../models/multilingual-e5-small-zh-en', import.meta.url));

/** What the embedding itself can be told; embedded mode has these settings alone. */
export const embeddingSettings = {
  MODEL_DIR: z
    .string()
    .optional()
    .describe(
      'Folder of the embedding model, laid out as on a model hub and named after it; absent: the shipped model.',
    ),
  EMBEDDING_CHILDREN: wholeNumber({ min: 0, max: 256, fallback: 0 }).describe(
    'Child processes that compute vectors, of about 300 MB each; 0 takes one per core, in embedded mode one.',
  ),
  EMBEDDING_CACHE_ENTRIES: wholeNumber({ min: 1, max: 10_000_000, fallback: 20_000 }).describe(
    'Vectors of questions that are kept, at about 2 KB each with the shipped model; in Redis for all replicas together.',
  ),
  EMBEDDING_CACHE_TTL_SECONDS: wholeNumber({ min: 1, max: 2_592_000, fallback: 86_400 }).describe(
    'Seconds for which the vector of a question is kept.',
  ),
};

export const embeddingConfig = z.object({
  ...redisSettings,
  ...transportSettings,
  ...telemetrySettings,
  ...processSettings,
  ...embeddingSettings,
});
export type EmbeddingConfig = Pick<z.output<typeof embeddingConfig>, keyof typeof embeddingSettings>;
