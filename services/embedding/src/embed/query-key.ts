import { createHash } from 'node:crypto';
import type { EmbeddingModel } from '@lectern/contracts';

/** Names a question's vector in a cache: a tenant's entries start with its id, and no two spaces share one. */
export function queryKey(tenantId: string, model: EmbeddingModel, text: string): string {
  const { provider, model: name, revision, dimension, normalised, queryPrefix } = model;
  const digest = createHash('sha256').update(queryPrefix).update(text).digest('base64url');
  return [tenantId, provider, name, revision, dimension, normalised ? 'unit' : 'raw', digest].join(':');
}
