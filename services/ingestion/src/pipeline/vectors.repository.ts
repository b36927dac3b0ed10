import { toVectorText } from '@lectern/database';
import type { JobRun, JobsRepository } from '../jobs/jobs.repository.js';

/** A chunk that has no vector yet. */
export interface PendingChunk {
  id: string;
  content: string;
  headingPath: string[];
  textHash: Uint8Array;
}

export interface PendingChunks {
  /** Those to be embedded. */
  chunks: PendingChunk[];
  /** Of the last chunk that was looked at; undefined when none comes after these. */
  lastOrdinal: number | undefined;
}

const selectPending = `
  SELECT c.id, c.ordinal, c.content, c.heading_path AS "headingPath", c.text_hash AS "textHash"
  FROM chunks c
  WHERE c.tenant_id = $1 AND c.document_id = $2 AND c.version = $3 AND c.ordinal > $5 AND NOT EXISTS (
    SELECT FROM chunk_vectors v WHERE v.tenant_id = c.tenant_id AND v.chunk_id = c.id AND v.space_id = $4)
  ORDER BY c.ordinal LIMIT $6`;

const reuseVectors = `
  INSERT INTO chunk_vectors (tenant_id, space_id, kb_id, document_id, version, chunk_id, embedding)
  SELECT c.tenant_id, $2, c.kb_id, c.document_id, c.version, c.id, known.embedding
  FROM chunks c CROSS JOIN LATERAL (
    SELECT v.embedding FROM chunks same
    JOIN chunk_vectors v ON v.tenant_id = same.tenant_id AND v.chunk_id = same.id AND v.space_id = $2
    WHERE same.tenant_id = c.tenant_id AND same.text_hash = c.text_hash LIMIT 1) known
  WHERE c.tenant_id = $1 AND c.id = ANY ($3::uuid[])
  RETURNING chunk_id AS id`;

export class VectorsRepository {
  constructor(private readonly jobs: JobsRepository) {}

  /**
   * Looks at the next chunks without a vector, in their order. Those whose text has a vector already, in the same space
   * and tenant, are given it.
   */
  async nextPending(
    run: JobRun,
    { afterOrdinal, limit }: { afterOrdinal: number; limit: number },
    signal: AbortSignal,
  ): Promise<PendingChunks> {
    return this.jobs.write(
      run,
      async (transaction) => {
        const pending = await transaction.query<PendingChunk & { ordinal: number }>(selectPending, [
          run.tenantId,
          run.documentId,
          run.version,
          run.space.id,
          afterOrdinal,
          limit,
        ]);
        const ids = pending.map((chunk) => chunk.id);
        const reused = await transaction.query<{ id: string }>(reuseVectors, [run.tenantId, run.space.id, ids]);
        if (reused.length > 0) await transaction.query(countEmbedded, countParameters(run));
        const done = new Set(reused.map((row) => row.id));
        return {
          chunks: pending.filter((chunk) => !done.has(chunk.id)),
          lastOrdinal: pending.length < limit ? undefined : pending.at(-1)?.ordinal,
        };
      },
      signal,
    );
  }

  /** Stores the vectors of some chunks. */
  async insert(
    run: JobRun,
    vectors: readonly { chunkId: string; vector: Float32Array }[],
    signal: AbortSignal,
  ): Promise<void> {
    await this.jobs.write(
      run,
      async (transaction) => {
        await transaction.query(
          `INSERT INTO chunk_vectors (tenant_id, space_id, kb_id, document_id, version, chunk_id, embedding)
           SELECT $1, $2, $3, $4, $5, n.chunk_id, n.embedding::halfvec
           FROM unnest($6::uuid[], $7::text[]) AS n (chunk_id, embedding)`,
          [
            run.tenantId,
            run.space.id,
            run.knowledgeBaseId,
            run.documentId,
            run.version,
            vectors.map(({ chunkId }) => chunkId),
            vectors.map(({ vector }) => toVectorText(vector)),
          ],
        );
        await transaction.query(countEmbedded, countParameters(run));
      },
      signal,
    );
  }
}

const countEmbedded = `
  UPDATE ingestion_jobs SET chunks_embedded = (
    SELECT count(*) FROM chunk_vectors v
    WHERE v.tenant_id = $1 AND v.document_id = $3 AND v.version = $4 AND v.space_id = $5)
  WHERE tenant_id = $1 AND id = $2`;

function countParameters(run: JobRun): unknown[] {
  return [run.tenantId, run.jobId, run.documentId, run.version, run.space.id];
}
