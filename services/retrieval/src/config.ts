import {
  postgresSettings,
  processSettings,
  redisSettings,
  telemetrySettings,
  transportSettings,
  wholeNumber,
} from '@lectern/config';
import { z } from 'zod';

/** What the search itself can be told; embedded mode has these settings alone. */
export const searchSettings = {
  SEARCH_EXACT_UP_TO_CHUNKS: wholeNumber({ min: 0, max: 10_000_000, fallback: 20_000 }).describe(
    'Scopes of at most so many chunks are searched exactly; larger ones by the vector index, which may miss a passage.',
  ),
  SEARCH_LEXICAL_CANDIDATES: wholeNumber({ min: 100, max: 10_000_000, fallback: 5_000 }).describe(
    'Chunks of a larger tenant that the words of a question may select for BM25, rarest words first.',
  ),
};

export const retrievalConfig = z.object({
  ...postgresSettings,
  ...redisSettings,
  ...transportSettings,
  ...telemetrySettings,
  ...processSettings,
  ...searchSettings,
});
export type SearchConfig = Pick<z.output<typeof retrievalConfig>, keyof typeof searchSettings>;
