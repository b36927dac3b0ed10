import type { embedPassages, embedQuery, EmbeddingModel, ResponseOf } from '@lectern/contracts';

export type QueryVector = ResponseOf<typeof embedQuery>;
export type PassageResult = ResponseOf<typeof embedPassages>['results'][number];

/** Where vectors come from. Texts are given as people wrote them: prefixes and limits are the provider's business. */
export interface EmbeddingProvider {
  readonly model: EmbeddingModel;
  /**
   * A question's vector; what is longer than the model's input is cut. Goes ahead of passages. Rejects with a
   * ServiceError: `unavailable`, or `timeout` once the signal aborts.
   */
  embedQuery(text: string, signal: AbortSignal): Promise<QueryVector>;
  /** One result per text, in their order; a text that has no vector fails alone. Rejects as `embedQuery` does. */
  embedPassages(texts: readonly string[], signal: AbortSignal): Promise<PassageResult[]>;
  /** Whether a text would be embedded now. */
  isReady(): boolean;
  /** Fails what waits and leaves nothing running. */
  close(): Promise<void>;
}
