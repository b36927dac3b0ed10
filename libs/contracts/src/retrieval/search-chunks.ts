import { z } from 'zod';
import { citationSchema } from '../common/citation.js';
import { idSchema } from '../common/ids.js';
import { defineOperation } from '../operation.js';

export const searchHitSchema = z.object({
  rank: z.number().int().positive(),
  /** Raw cosine between question and passage. */
  similarity: z.number(),
  /** Calibrated fusion of both legs; comparable from query to query of one embedding space. */
  score: z.number(),
  content: z.string(),
  documentTitle: z.string(),
  documentId: idSchema,
  knowledgeBaseId: idSchema,
  chunkId: idSchema,
  chunkIndex: z.number().int().nonnegative(),
  citation: citationSchema,
});
export type SearchHit = z.output<typeof searchHitSchema>;

export const searchScopeSchema = z.object({
  knowledgeBaseIds: z.array(idSchema),
  documentId: idSchema.optional(),
});

/** Ranks the passages of a scope against a question. */
export const searchChunks = defineOperation({
  name: 'retrieval.search_chunks',
  lane: 'interactive',
  retry: 'safe',
  timeoutMs: 12_000,
  request: z.object({
    query: z.string().min(1).max(8192),
    topK: z.number().int().min(1).max(20).default(5),
    /** Absent: every knowledge base of the tenant. */
    knowledgeBaseId: idSchema.optional(),
    documentId: idSchema.optional(),
  }),
  response: z.object({
    /** Never fewer than min(topK, matches) unless `exhaustive` is `approximate`. */
    hits: z.array(searchHitSchema),
    filteredByThreshold: z.number().int().nonnegative(),
    scope: searchScopeSchema,
    exhaustive: z.enum(['exact', 'approximate']),
  }),
});
