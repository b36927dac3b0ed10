import type { DocumentState, IngestionStage } from '@lectern/contracts';
import type { Progress } from './define-tool.js';

export interface IngestionState {
  readonly documentId: string;
  readonly jobId: string;
  readonly status: DocumentState;
  readonly stage?: IngestionStage | undefined;
  readonly chunksTotal: number;
  readonly chunksEmbedded: number;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

/** Where a stage begins, in percent; embedding, the long one, fills the space up to the next. */
const stageStart: Record<IngestionStage, number> = { parse: 5, chunk: 10, embed: 15, switch: 95 };

/** Whether the document has reached a state that it stays in. */
export function isSettled({ status }: Pick<IngestionState, 'status'>): boolean {
  return status !== 'queued' && status !== 'processing';
}

export function ingestionProgress(state: IngestionState): Progress {
  return { percent: percentOf(state), message: describeIngestion(state) };
}

function percentOf(state: IngestionState): number {
  if (isSettled(state)) return 100;
  if (!state.stage) return 0;
  const start = stageStart[state.stage];
  if (state.stage !== 'embed' || state.chunksTotal === 0) return start;
  return start + Math.floor(((stageStart.switch - start) * state.chunksEmbedded) / state.chunksTotal);
}

/** How far a document is, in a sentence that says what to do next. */
export function describeIngestion(state: IngestionState): string {
  const { documentId, jobId, status, stage, chunksTotal, chunksEmbedded, error } = state;
  switch (status) {
    case 'ready':
      return `Document ${documentId} is ready: its ${chunksTotal} chunk(s) can be searched.`;
    case 'failed':
      return `Document ${documentId} failed (${error?.code ?? 'unknown'}): ${error?.message ?? 'upload it again.'}`;
    case 'needs_ocr':
      return `Document ${documentId} has no text layer; upload it with recognised text.`;
    case 'queued':
    case 'processing': {
      const detail = stage ? `, stage ${stage}, ${chunksEmbedded} of ${chunksTotal} chunk(s) embedded` : '';
      return `Document ${documentId} is ${status}${detail}. Ask get_ingestion_status with jobId ${jobId} later.`;
    }
  }
}
