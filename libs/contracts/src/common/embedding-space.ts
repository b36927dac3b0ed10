import { z } from 'zod';

/**
 * What makes two vectors comparable, and what a score of theirs means. Immutable: another revision of a model is
 * another space.
 */
export const embeddingModelSchema = z.object({
  provider: z.string(),
  model: z.string(),
  /** Digest or version of the weights. */
  revision: z.string(),
  dimension: z.number().int().min(1).max(4000),
  normalised: z.boolean(),
  /** Mean cosine of unrelated pairs: the zero of a calibrated score. */
  floor: z.number().min(-1).max(1),
  /** Raw cosine below which a dense hit is cut by default. */
  minSimilarity: z.number().min(-1).max(1),
  /** Share of the dense score in the fused score, 0 to 1. */
  denseWeight: z.number().min(0).max(1),
  queryPrefix: z.string(),
  passagePrefix: z.string(),
  /** Longest input of the model in its own tokens, special tokens included. */
  maxTokens: z.number().int().positive(),
});
export type EmbeddingModel = z.output<typeof embeddingModelSchema>;
