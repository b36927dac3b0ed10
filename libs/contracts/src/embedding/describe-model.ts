import { z } from 'zod';
import { embeddingModelSchema } from '../common/embedding-space.js';
import { defineOperation } from '../operation.js';

/** The model that new knowledge bases use. */
export const describeModel = defineOperation({
  name: 'embedding.describe_model',
  lane: 'interactive',
  retry: 'safe',
  timeoutMs: 5_000,
  request: z.object({}),
  response: z.object({ model: embeddingModelSchema }),
});
