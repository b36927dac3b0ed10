export { embeddingConfig, embeddingSettings, type EmbeddingConfig } from './config.js';
export { createService, type EmbeddingPorts } from './service.js';
export { createMemoryVectorCache } from './cache/memory-cache.js';
export type { CacheLimits, QueryVectorCache } from './cache/query-vector-cache.js';
