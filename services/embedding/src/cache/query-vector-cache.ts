import type { EmbeddingConfig } from '../config.js';
import type { QueryVector } from '../providers/embedding-provider.js';

/** Remembers vectors of questions for a limited time and in a limited number. May fail; what it holds may be lost. */
export interface QueryVectorCache {
  get(key: string): Promise<QueryVector | undefined>;
  set(key: string, value: QueryVector): Promise<void>;
  close(): Promise<void>;
}

export type CacheLimits = Pick<EmbeddingConfig, 'EMBEDDING_CACHE_ENTRIES' | 'EMBEDDING_CACHE_TTL_SECONDS'>;
