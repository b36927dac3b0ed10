import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { chunkText, lexicalDocument, type Chunk } from '@lectern/text';
import type { JobRun } from '../jobs/jobs.repository.js';
import type { ChunksRepository, IndexedChunk } from './chunks.repository.js';
import { DocumentError } from './document-error.js';
import { indexedText, passageText } from './passage-text.js';
import type { Stage } from './stage.js';
import type { TextsRepository } from './texts.repository.js';

/** Chunks of one transaction: in embedded mode a search waits for it. */
const chunksAtOnce = 16;

/** Tokens of the model's input that the passage prefix and the special tokens need. */
const reservedTokens = 32;

/** Stored text → chunks with their terms. */
export class ChunkStage implements Stage {
  readonly name = 'chunk';

  constructor(
    private readonly texts: TextsRepository,
    private readonly chunks: ChunksRepository,
  ) {}

  async run(run: JobRun, signal: AbortSignal): Promise<void> {
    // Only an earlier try can have left some.
    if (run.attempt > 1) await this.chunks.clear(run, signal);
    const text = await this.texts.read(run, signal);
    const chunks = chunkText(text, {
      contentType: run.contentType,
      maxTokens: run.space.maxTokens - reservedTokens,
    });
    if (chunks.length === 0) throw new DocumentError('no_text');
    await this.chunks.setTotal(run, chunks.length, signal);
    for (let start = 0; start < chunks.length; start += chunksAtOnce) {
      const some = chunks.slice(start, start + chunksAtOnce).map((chunk) => indexChunk(run, chunk));
      await this.chunks.insert(run, some, signal);
      // Segmenting is work of this thread, which others want too.
      await nextTurn();
    }
  }
}

function indexChunk(run: JobRun, chunk: Chunk): IndexedChunk {
  return {
    ...chunk,
    textHash: createHash('sha256').update(passageText(chunk)).digest(),
    lexical: lexicalDocument(run.tenantId, indexedText(run.title, chunk)),
  };
}
