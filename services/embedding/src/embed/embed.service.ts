import { ServiceError, type EmbeddingModel, type ModelKey } from '@lectern/contracts';
import type { Logger, Metrics } from '@lectern/telemetry';
import type { CallContext } from '@lectern/transport';
import type { QueryVectorCache } from '../cache/query-vector-cache.js';
import type { EmbeddingProvider, PassageResult, QueryVector } from '../providers/embedding-provider.js';
import { queryKey } from './query-key.js';
import { SingleFlight } from './single-flight.js';

export interface EmbedServiceOptions {
  provider: EmbeddingProvider;
  cache: QueryVectorCache;
  logger: Logger;
  metrics: Metrics;
}

/** Vectors of one provider, checked; those of questions are cached and computed once for concurrent callers. */
export class EmbedService {
  private readonly flights = new SingleFlight<QueryVector>();

  constructor(private readonly options: EmbedServiceOptions) {}

  get model(): EmbeddingModel {
    return this.options.provider.model;
  }

  async embedQuery(model: ModelKey, text: string, call: CallContext): Promise<QueryVector> {
    this.requireModel(model);
    const key = queryKey(call.caller.tenantId, this.model, text);
    return this.flights.run(key, call.signal, async (signal) => {
      const known = await this.recall(key);
      if (known) return known;
      const computed = await this.computeQuery(text, signal);
      void this.remember(key, computed);
      return computed;
    });
  }

  async embedPassages(model: ModelKey, texts: readonly string[], call: CallContext): Promise<PassageResult[]> {
    this.requireModel(model);
    const stop = this.options.metrics.embeddingDuration.startTimer({ kind: 'passages' });
    const results = await this.options.provider.embedPassages(texts, call.signal);
    stop();
    if (results.length !== texts.length) throw new Error('the provider did not answer one result per text');
    return results.map((result) =>
      result.ok && !this.isUsable(result.vector) ? { ok: false, reason: 'rejected' } : result,
    );
  }

  private requireModel(wanted: ModelKey): void {
    const { provider, model, revision } = this.model;
    if (wanted.provider === provider && wanted.model === model && wanted.revision === revision) return;
    throw new ServiceError(
      'unavailable',
      'The embedding service runs another model than the one whose vectors are wanted. Its operator has to set MODEL_DIR.',
      { details: { running: `${provider}/${model}`, wanted: `${wanted.provider}/${wanted.model}` } },
    );
  }

  private async computeQuery(text: string, signal: AbortSignal): Promise<QueryVector> {
    const stop = this.options.metrics.embeddingDuration.startTimer({ kind: 'query' });
    const result = await this.options.provider.embedQuery(text, signal);
    stop();
    if (!this.isUsable(result.vector)) throw new Error('the provider gave a vector that can not be compared');
    return result;
  }

  /** A vector that is short, not finite or zero would be compared all the same, and rank at random. */
  private isUsable(vector: Float32Array): boolean {
    return (
      vector.length === this.model.dimension && vector.every(Number.isFinite) && vector.some((value) => value !== 0)
    );
  }

  private async recall(key: string): Promise<QueryVector | undefined> {
    const { cache, metrics } = this.options;
    try {
      const found = await cache.get(key);
      const usable = found && this.isUsable(found.vector) ? found : undefined;
      metrics.embeddingCache.inc({ result: usable ? 'hit' : 'miss' });
      return usable;
    } catch (error) {
      this.noteBrokenCache(error);
      return undefined;
    }
  }

  private async remember(key: string, value: QueryVector): Promise<void> {
    await this.options.cache.set(key, value).catch((error: unknown) => this.noteBrokenCache(error));
  }

  private noteBrokenCache(error: unknown): void {
    this.options.metrics.embeddingCache.inc({ result: 'error' });
    this.options.logger.debug({ err: error }, 'cache of query vectors failed');
  }
}
