import { embedPassages, isServiceError, type ErrorCode, type ResponseOf } from '@lectern/contracts';
import type { ServiceClient } from '@lectern/transport';
import type { JobRun } from '../jobs/jobs.repository.js';
import { DocumentError } from './document-error.js';
import { passageText } from './passage-text.js';
import type { Stage } from './stage.js';
import type { PendingChunk, PendingChunks, VectorsRepository } from './vectors.repository.js';

/** Texts of one request, and chunks of one transaction. */
const textsAtOnce = 16;

/** Answers that may be better the next time. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'unavailable',
  'timeout',
  'rate_limited',
  'outcome_unknown',
  'internal',
]);

type Result = ResponseOf<typeof embedPassages>['results'][number];

/** Chunks → vectors, each equal text once. */
export class EmbedStage implements Stage {
  readonly name = 'embed';

  constructor(
    private readonly vectors: VectorsRepository,
    private readonly client: ServiceClient,
  ) {}

  async run(run: JobRun, signal: AbortSignal): Promise<void> {
    let afterOrdinal: number | undefined = -1;
    while (afterOrdinal !== undefined) {
      const pending: PendingChunks = await this.vectors.nextPending(run, { afterOrdinal, limit: textsAtOnce }, signal);
      if (pending.chunks.length > 0) await this.embed(run, pending.chunks, signal);
      afterOrdinal = pending.lastOrdinal;
    }
  }

  private async embed(run: JobRun, chunks: readonly PendingChunk[], signal: AbortSignal): Promise<void> {
    const texts = [...new Set(chunks.map(passageText))];
    const results = await this.request(run, texts, signal);
    if (results.length !== texts.length) throw new DocumentError('embedding_invalid');
    const vectors = new Map(results.map((result, index) => [texts[index], vectorOf(result, run.space.dimension)]));
    await this.vectors.insert(
      run,
      chunks.flatMap((chunk) => {
        const vector = vectors.get(passageText(chunk));
        return vector ? [{ chunkId: chunk.id, vector }] : [];
      }),
      signal,
    );
  }

  private async request(run: JobRun, texts: string[], signal: AbortSignal): Promise<Result[]> {
    const { provider, model, revision } = run.space;
    const caller = { tenantId: run.tenantId, subject: run.requestedBy, scopes: [], requestId: run.jobId };
    try {
      const response = await this.client.call(
        embedPassages,
        { model: { provider, model, revision }, texts },
        { caller, signal },
      );
      return response.results;
    } catch (error) {
      if (!isServiceError(error) || passing.has(error.code)) throw error;
      throw new DocumentError('embedding_refused', { cause: error });
    }
  }
}

function vectorOf(result: Result, dimension: number): Float32Array {
  if (!result.ok) throw new DocumentError(result.reason === 'too_long' ? 'passage_too_long' : 'passage_rejected');
  const { vector } = result;
  const usable = vector.length === dimension && vector.every(Number.isFinite) && vector.some((value) => value !== 0);
  if (!usable) throw new DocumentError('embedding_invalid');
  return vector;
}
