import { lanes, serviceNames } from '@lectern/contracts';
import { eventually } from '@lectern/testing';
import { Redis } from 'ioredis';
import type { TestStack } from './stack.js';

/** Resolves once no request stream holds a request and no replica owes an answer to one. */
export async function untilNothingIsPending({ redis: { url, prefix } }: TestStack): Promise<void> {
  const redis = new Redis(url);
  try {
    for (const stream of serviceNames.flatMap((name) => lanes.map((lane) => `${prefix}:req:${name}:${lane}`))) {
      await eventually(`${stream} to be empty`, async () => {
        const [pending] = (await redis.xpending(stream, 'replicas')) as [number];
        return pending === 0 && (await redis.xlen(stream)) === 0;
      });
    }
  } finally {
    redis.disconnect();
  }
}

interface StoredDocument {
  id: string;
  title: string;
  state: string;
  jobs: string;
  versions: number;
  chunkCount: number;
  chunks: number;
  places: number;
  vectors: number;
}

/** Every document that the database has, once all of them have come to an end. */
export function untilIngested(stack: TestStack, timeoutMs: number): Promise<StoredDocument[]> {
  return eventually(
    'no document to be under way',
    async () => {
      const documents = await readDocuments(stack);
      return documents.every(({ jobs }) => /^(done|failed)$/.test(jobs)) ? documents : undefined;
    },
    timeoutMs,
  );
}

/** Whether a document was ingested once: ready, with one version, and each of its chunks stored and embedded once. */
export function isWhole({ state, jobs, versions, chunkCount, chunks, places, vectors }: StoredDocument): boolean {
  const counts = [chunks, places, vectors];
  return state === 'ready' && jobs === 'done' && versions === 1 && counts.every((count) => count === chunkCount);
}

async function readDocuments({ postgres }: TestStack): Promise<StoredDocument[]> {
  const session = await postgres.connect();
  try {
    return await session.query<StoredDocument>(
      `SELECT d.id, d.title, d.state, d.chunk_count AS "chunkCount", c.*,
         (SELECT string_agg(j.state, ',') FROM ingestion_jobs j WHERE j.document_id = d.id) AS jobs,
         (SELECT count(*)::int FROM chunk_vectors v WHERE v.document_id = d.id) AS vectors
       FROM documents d CROSS JOIN LATERAL (
         SELECT count(*)::int AS chunks, count(DISTINCT version)::int AS versions,
                count(DISTINCT (version, ordinal))::int AS places
         FROM chunks WHERE document_id = d.id) c`,
    );
  } finally {
    await session.close();
  }
}
