import { newId, toSparsevecText } from '@lectern/database';
import type { Chunk, LexicalDocument } from '@lectern/text';
import type { JobRun, JobsRepository } from '../jobs/jobs.repository.js';

/** A chunk with what the search needs of it. */
export interface IndexedChunk extends Chunk {
  /** SHA-256 of the text that is embedded for it: equal hashes have equal vectors. */
  textHash: Uint8Array;
  lexical: LexicalDocument;
}

/** Rows that one statement removes. */
const removedAtOnce = 500;

const insertChunks = `
  INSERT INTO chunks (tenant_id, kb_id, document_id, version, id, ordinal, kind, content, heading_path, sheet, range,
    start_offset, end_offset, token_count, text_hash, terms, lexical)
  SELECT $1, $2, $3, $4, c.id, c.ordinal, c.kind, c.content,
         ARRAY(SELECT jsonb_array_elements_text(c.heading_path::jsonb)), c.sheet, c.range, c.start_offset, c.end_offset,
         c.token_count, c.text_hash, ARRAY(SELECT jsonb_array_elements_text(c.terms::jsonb)::int), c.lexical::sparsevec
  FROM unnest($5::uuid[], $6::int[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::int[],
    $13::int[], $14::int[], $15::bytea[], $16::text[], $17::text[])
    AS c (id, ordinal, kind, content, heading_path, sheet, range, start_offset, end_offset, token_count, text_hash,
      terms, lexical)`;

export class ChunksRepository {
  constructor(private readonly jobs: JobsRepository) {}

  /** Stores some chunks of the run's version. */
  async insert(run: JobRun, chunks: readonly IndexedChunk[], signal: AbortSignal): Promise<void> {
    const column = <T>(value: (chunk: IndexedChunk) => T): T[] => chunks.map(value);
    await this.jobs.write(
      run,
      (transaction) =>
        transaction.query(insertChunks, [
          run.tenantId,
          run.knowledgeBaseId,
          run.documentId,
          run.version,
          column(() => newId()),
          column((chunk) => chunk.ordinal),
          column((chunk) => chunk.kind),
          column((chunk) => chunk.content),
          // Arrays of several lengths can't be unnested together, so they travel as JSON.
          column((chunk) => JSON.stringify(chunk.headingPath)),
          column((chunk) => chunk.sheet ?? null),
          column((chunk) => chunk.range ?? null),
          column((chunk) => chunk.startOffset),
          column((chunk) => chunk.endOffset),
          column((chunk) => chunk.tokenCount),
          column((chunk) => Buffer.from(chunk.textHash)),
          column((chunk) => JSON.stringify(chunk.lexical.terms)),
          column((chunk) => toSparsevecText(chunk.lexical.vector)),
        ]),
      signal,
    );
  }

  /** Removes what a broken-off run left of the chunks: its cuts may differ from those of another release. */
  async clear(run: JobRun, signal: AbortSignal): Promise<void> {
    let removed: number;
    do {
      const rows = await this.jobs.write(
        run,
        (transaction) =>
          transaction.query(
            `DELETE FROM chunks WHERE tenant_id = $1 AND id IN (
               SELECT id FROM chunks WHERE tenant_id = $1 AND document_id = $2 AND version = $3 LIMIT $4)
             RETURNING id`,
            [run.tenantId, run.documentId, run.version, removedAtOnce],
          ),
        signal,
      );
      removed = rows.length;
    } while (removed === removedAtOnce);
  }

  async setTotal(run: JobRun, total: number, signal: AbortSignal): Promise<void> {
    await this.jobs.write(
      run,
      (transaction) =>
        transaction.query('UPDATE ingestion_jobs SET chunks_total = $3 WHERE tenant_id = $1 AND id = $2', [
          run.tenantId,
          run.jobId,
          total,
        ]),
      signal,
    );
  }
}
