import { z } from 'zod';
import { vectorSchema } from '../common/vector.js';
import { embeddingModelSchema } from '../common/embedding-space.js';
import { defineOperation } from '../operation.js';

/** Names the model whose vectors are wanted; another one than the service runs is `unavailable`. */
export const modelKeySchema = embeddingModelSchema.pick({ provider: true, model: true, revision: true });
export type ModelKey = z.output<typeof modelKeySchema>;

/** The vector of a question. Goes ahead of bulk work; equal texts at the same time are computed once. */
export const embedQuery = defineOperation({
  name: 'embedding.embed_query',
  lane: 'interactive',
  retry: 'safe',
  timeoutMs: 8_000,
  request: z.object({ model: modelKeySchema, text: z.string().min(1).max(8192) }),
  response: z.object({
    vector: vectorSchema,
    /** The text was longer than the model's input. */ truncated: z.boolean(),
  }),
});
