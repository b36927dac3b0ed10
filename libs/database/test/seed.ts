import { newId, toSparsevecText, toVectorText, type Database, type Transaction } from '@lectern/database';

/** Ids of one document that is ready, with two chunks. */
export interface Seed {
  tenantId: string;
  knowledgeBaseId: string;
  spaceId: string;
  documentId: string;
  chunkIds: string[];
}

const vectors = [new Float32Array([1, 0, 0]), new Float32Array([0, 1, 0])];
const lexicals = [
  { indices: [7, 9], values: [1, 0.5], dimension: 1_000_000_000 },
  { indices: [9], values: [2], dimension: 1_000_000_000 },
];

/** Stores one row or more in every table that ingestion writes, the way it does. */
export function seedDocument(ingestion: Database, tenantId: string): Promise<Seed> {
  return ingestion.withTenant(tenantId, async (transaction) => {
    const spaceId = await ensureSpace(transaction);
    const seed: Seed = {
      tenantId,
      knowledgeBaseId: newId(),
      spaceId,
      documentId: newId(),
      chunkIds: [newId(), newId()],
    };
    await insertDocument(transaction, seed);
    await insertChunks(transaction, seed);
    await transaction.query('SELECT recount_lexical_terms()');
    await transaction.query(
      "INSERT INTO idempotency_keys (tenant_id, operation, key, response) VALUES ($1, 'create', $2, $3)",
      [tenantId, seed.documentId, JSON.stringify({ items: [1] })],
    );
    await transaction.query('INSERT INTO uploads (tenant_id, document_id, blob_key) VALUES ($1, $2, $3)', [
      tenantId,
      newId(),
      'a',
    ]);
    return seed;
  });
}

/** The id of a space of three dimensions. */
export async function ensureSpace(transaction: Transaction): Promise<string> {
  const [row] = await transaction.query<{ id: string }>(
    "SELECT ensure_embedding_space($1, 'fake', 'm', '1', 3, true, 0.1, 0.2, 0.5, 'q: ', 'p: ', 512) AS id",
    [newId()],
  );
  return row!.id;
}

async function insertDocument(transaction: Transaction, seed: Seed): Promise<void> {
  const { tenantId, knowledgeBaseId, documentId, spaceId } = seed;
  await transaction.query('INSERT INTO knowledge_bases (tenant_id, id, name) VALUES ($1, $2, $3)', [
    tenantId,
    knowledgeBaseId,
    knowledgeBaseId,
  ]);
  await transaction.query(
    "INSERT INTO knowledge_base_spaces (tenant_id, kb_id, space_id, state) VALUES ($1, $2, $3, 'active')",
    [tenantId, knowledgeBaseId, spaceId],
  );
  await transaction.query(
    `INSERT INTO documents (tenant_id, id, kb_id, title, content_type, sha256, blob_key, byte_count, state, active_version)
     VALUES ($1, $2, $3, 'a.md', 'md', $4, 'a', 3, 'ready', 1)`,
    [tenantId, documentId, knowledgeBaseId, Buffer.alloc(32, 1)],
  );
  await transaction.query(
    `INSERT INTO ingestion_jobs (tenant_id, id, kb_id, document_id, version, space_id, state, requested_by)
     VALUES ($1, $2, $3, $4, 1, $5, 'queued', 'tester')`,
    [tenantId, newId(), knowledgeBaseId, documentId, spaceId],
  );
  await transaction.query(
    "INSERT INTO document_texts (tenant_id, document_id, version, segment, start_offset, text) VALUES ($1, $2, 1, 0, 0, '知识库')",
    [tenantId, documentId],
  );
}

async function insertChunks(transaction: Transaction, seed: Seed): Promise<void> {
  const { tenantId, knowledgeBaseId, documentId, spaceId, chunkIds } = seed;
  await transaction.query(
    `INSERT INTO chunks (tenant_id, id, kb_id, document_id, version, ordinal, kind, content, heading_path, start_offset,
       end_offset, token_count, text_hash, terms, lexical)
     SELECT $1, id, $2, $3, 1, ordinal, 'text', content, '{}', 0, 3, 3, text_hash, terms::int[], lexical::sparsevec
     FROM unnest($4::uuid[], $5::int[], $6::text[], $7::bytea[], $8::text[], $9::text[])
       AS c (id, ordinal, content, text_hash, terms, lexical)`,
    [
      tenantId,
      knowledgeBaseId,
      documentId,
      chunkIds,
      [0, 1],
      ['知识库, "quoted"', 'back\\slash\n{brace}'],
      [Buffer.alloc(32, 2), Buffer.alloc(32, 3)],
      lexicals.map(({ indices }) => `{${indices.join(',')}}`),
      lexicals.map(toSparsevecText),
    ],
  );
  await transaction.query(
    `INSERT INTO chunk_vectors (tenant_id, space_id, kb_id, document_id, version, chunk_id, embedding)
     SELECT $1, $2, $3, $4, 1, chunk_id, embedding::halfvec
     FROM unnest($5::uuid[], $6::text[]) AS v (chunk_id, embedding)`,
    [tenantId, spaceId, knowledgeBaseId, documentId, chunkIds, vectors.map(toVectorText)],
  );
}
