import { createHash } from 'node:crypto';
import { embedQuery, type RequestOf } from '@lectern/contracts';
import { ensureTenant, newId, openPglite, toSparsevecText, toVectorText, type Database } from '@lectern/database';
import { createLogger, createMetrics } from '@lectern/telemetry';
import { fakeModel, fakeVector, testPostgres } from '@lectern/testing';
import { chunkText, lexicalDocument } from '@lectern/text';
import { createInProcessTransport, Handles, startMicroservice, type ServiceClient } from '@lectern/transport';
import { Controller, Module } from '@nestjs/common';
import { createService } from '@lectern/retrieval';

interface Backend {
  database(role: 'retrieval' | 'ingestion'): Database;
  createTenant(name: string): Promise<string>;
  close(): Promise<void>;
}

export const backends: Record<string, () => Promise<Backend>> = {
  PostgreSQL: () => testPostgres(),
  PGlite: async () => {
    const embedded = await openPglite();
    await embedded.migrate();
    return {
      database: (role) => embedded.forRole(role),
      createTenant: (name) => embedded.asAdmin((transaction) => ensureTenant(transaction, name)),
      close: () => embedded.close(),
    };
  },
};

@Controller()
class FakeEmbeddingController {
  @Handles(embedQuery)
  async embed(request: RequestOf<typeof embedQuery>) {
    return { vector: fakeVector(request.text), truncated: false };
  }
}

@Module({ controllers: [FakeEmbeddingController] })
class FakeEmbeddingModule {}

/** Retrieval on a real database, with deterministic vectors in place of the embedding service. */
export interface Fixture {
  client: ServiceClient;
  backend: Backend;
  close(): Promise<void>;
}

export async function openFixture(
  open: () => Promise<Backend>,
  settings: { exactUpTo?: number } = {},
): Promise<Fixture> {
  const backend = await open();
  const logger = createLogger({ service: 'test', level: 'error' });
  const transport = createInProcessTransport({ logger, metrics: createMetrics('test') });
  const embedding = await startMicroservice(FakeEmbeddingModule, transport.serverFor('embedding'));
  const config = { SEARCH_EXACT_UP_TO_CHUNKS: settings.exactUpTo ?? 20_000, SEARCH_LEXICAL_CANDIDATES: 5000 };
  const service = await createService(config, { transport, database: backend.database('retrieval') });
  return {
    client: transport.client,
    backend,
    async close() {
      await service.close();
      await embedding.close();
      await transport.close();
      await backend.close();
    },
  };
}

/** A knowledge base with its space, as ingestion would make it. */
export async function insertKnowledgeBase(database: Database, tenantId: string, name: string): Promise<string> {
  const id = newId();
  await database.withTenant(tenantId, async (transaction) => {
    const model = fakeModel;
    const [space] = await transaction.query<{ id: string }>(
      'SELECT ensure_embedding_space($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS id',
      [
        newId(),
        model.provider,
        model.model,
        model.revision,
        model.dimension,
        model.normalised,
        model.floor,
        model.minSimilarity,
        model.denseWeight,
        model.queryPrefix,
        model.passagePrefix,
        model.maxTokens,
      ],
    );
    await transaction.query('INSERT INTO knowledge_bases (tenant_id, id, name) VALUES ($1, $2, $3)', [
      tenantId,
      id,
      name,
    ]);
    await transaction.query(
      "INSERT INTO knowledge_base_spaces (tenant_id, kb_id, space_id, state) VALUES ($1, $2, $3, 'active')",
      [tenantId, id, space?.id],
    );
  });
  return id;
}

/** A published document with its chunks and vectors. */
export async function insertDocument(
  database: Database,
  tenantId: string,
  knowledgeBaseId: string,
  document: { title: string; text: string; published?: boolean },
): Promise<string> {
  const id = newId();
  const { title, text, published = true } = document;
  const chunks = chunkText(text, { contentType: 'txt', maxTokens: 480 });
  await database.withTenant(tenantId, async (transaction) => {
    await transaction.query(
      `INSERT INTO documents (tenant_id, id, kb_id, title, content_type, sha256, blob_key, byte_count, char_count,
         chunk_count, state, active_version)
       VALUES ($1, $2, $3, $4, 'txt', $5, $6, $7, $8, $9, $10, $11)`,
      [
        tenantId,
        id,
        knowledgeBaseId,
        title,
        createHash('sha256').update(id).digest(),
        id,
        text.length,
        text.length,
        chunks.length,
        published ? 'ready' : 'processing',
        published ? 1 : null,
      ],
    );
    const [space] = await transaction.query<{ id: string }>(
      'SELECT space_id AS id FROM knowledge_base_spaces WHERE kb_id = $1',
      [knowledgeBaseId],
    );
    await transaction.query(
      `INSERT INTO ingestion_jobs (tenant_id, id, kb_id, document_id, version, space_id, requested_by)
       VALUES ($1, $2, $3, $4, 1, $5, 'test')`,
      [tenantId, newId(), knowledgeBaseId, id, space?.id],
    );
    await transaction.query(
      'INSERT INTO document_texts (tenant_id, document_id, version, segment, start_offset, text) VALUES ($1, $2, 1, 0, 0, $3)',
      [tenantId, id, text],
    );
    for (const chunk of chunks) {
      const chunkId = newId();
      const { terms, vector } = lexicalDocument(tenantId, chunk.content);
      await transaction.query(
        `INSERT INTO chunks (tenant_id, id, kb_id, document_id, version, ordinal, kind, content, start_offset, end_offset,
           token_count, text_hash, terms, lexical)
         VALUES ($1, $2, $3, $4, 1, $5, 'text', $6, $7, $8, $9, $10, $11, $12::sparsevec)`,
        [
          tenantId,
          chunkId,
          knowledgeBaseId,
          id,
          chunk.ordinal,
          chunk.content,
          chunk.startOffset,
          chunk.endOffset,
          chunk.tokenCount,
          createHash('sha256').update(chunk.content).digest(),
          terms,
          toSparsevecText(vector),
        ],
      );
      await transaction.query(
        `INSERT INTO chunk_vectors (tenant_id, space_id, kb_id, document_id, version, chunk_id, embedding)
         VALUES ($1, $2, $3, $4, 1, $5, $6::halfvec)`,
        [tenantId, space?.id, knowledgeBaseId, id, chunkId, toVectorText(fakeVector(chunk.content))],
      );
    }
  });
  return id;
}
