import { createHash } from 'node:crypto';
import type { DocumentState, EmbeddingModel } from '@lectern/contracts';
import { newId, toSparsevecText, toVectorText, type Database, type Transaction } from '@lectern/database';
import { fakeModel } from '@lectern/testing';
import { chunkText, lexicalDocument, sliceWellFormed, type Chunk } from '@lectern/text';
import { vectorOf } from './fake-embedding.controller.js';

export interface NewDocument {
  title: string;
  text: string;
  contentType?: 'txt' | 'md';
  /** `ready` publishes the text. */
  state?: DocumentState;
  /** UTF-16 code units of a stored piece of the text. */
  segmentLength?: number;
}

/** The rows of one tenant, as ingestion would write them. */
export class Corpus {
  private readonly models = new Map<string, { spaceId: string; model: EmbeddingModel }>();

  constructor(
    private readonly database: Database,
    readonly tenantId: string,
  ) {}

  async addKnowledgeBase(name: string, model: EmbeddingModel = fakeModel): Promise<string> {
    const id = newId();
    await this.write(async (transaction) => {
      const spaceId = await ensureSpace(transaction, model);
      await transaction.query('INSERT INTO knowledge_bases (tenant_id, id, name) VALUES ($1, $2, $3)', [
        this.tenantId,
        id,
        name,
      ]);
      await transaction.query(
        "INSERT INTO knowledge_base_spaces (tenant_id, kb_id, space_id, state) VALUES ($1, $2, $3, 'active')",
        [this.tenantId, id, spaceId],
      );
      this.models.set(id, { spaceId, model });
    });
    return id;
  }

  async addDocument(knowledgeBaseId: string, document: NewDocument): Promise<string> {
    const id = newId();
    const { title, contentType = 'txt', state = 'ready', text } = document;
    await this.write(async (transaction) => {
      await transaction.query(
        `INSERT INTO documents (tenant_id, id, kb_id, title, content_type, sha256, blob_key, byte_count, state)
         VALUES ($1, $2, $3, $4, $5, sha256($6), 'blob', $7, $8)`,
        [this.tenantId, id, knowledgeBaseId, title, contentType, Buffer.from(id), Buffer.byteLength(text), state],
      );
      await transaction.query(
        `INSERT INTO ingestion_jobs (tenant_id, id, kb_id, document_id, version, space_id, requested_by)
         VALUES ($1, $2, $3, $4, 1, $5, 'test')`,
        [this.tenantId, newId(), knowledgeBaseId, id, this.space(knowledgeBaseId).spaceId],
      );
    });
    await this.addVersion({ id, knowledgeBaseId, version: 1 }, document);
    if (state === 'ready') await this.publish(id, 1, text);
    return id;
  }

  /** The text, chunks and vectors of a version that is not searched yet. */
  async addVersion(
    of: { id: string; knowledgeBaseId: string; version: number },
    { text, contentType = 'txt', segmentLength = 65_536 }: NewDocument,
  ): Promise<void> {
    const key = [this.tenantId, of.id, of.version];
    await this.write(async (transaction) => {
      for (const [segment, piece] of piecesOf(text, segmentLength).entries()) {
        await transaction.query(
          'INSERT INTO document_texts (tenant_id, document_id, version, segment, start_offset, text) VALUES ($1, $2, $3, $4, $5, $6)',
          [...key, segment, piece.start, piece.text],
        );
      }
      for (const chunk of chunkText(text, { contentType, maxTokens: 480 })) {
        await this.addChunk(transaction, key, of.knowledgeBaseId, chunk);
      }
    });
  }

  publish(id: string, version: number, text: string): Promise<void> {
    return this.write(async (transaction) => {
      await transaction.query(
        `UPDATE documents SET active_version = $3, char_count = $4, state = 'ready', chunk_count = (
           SELECT count(*) FROM chunks WHERE tenant_id = $1 AND document_id = $2 AND version = $3)
         WHERE tenant_id = $1 AND id = $2`,
        [this.tenantId, id, version, text.length],
      );
    });
  }

  deleteDocument(id: string): Promise<void> {
    return this.write(async (transaction) => {
      await transaction.query('DELETE FROM documents WHERE tenant_id = $1 AND id = $2', [this.tenantId, id]);
    });
  }

  recount(): Promise<void> {
    return this.write(async (transaction) => void (await transaction.query('SELECT recount_lexical_terms()')));
  }

  private async addChunk(
    transaction: Transaction,
    key: unknown[],
    knowledgeBaseId: string,
    chunk: Chunk,
  ): Promise<void> {
    const id = newId();
    const { terms, vector } = lexicalDocument(this.tenantId, chunk.content);
    await transaction.query(
      `INSERT INTO chunks (tenant_id, document_id, version, id, kb_id, ordinal, kind, content, heading_path, start_offset,
         end_offset, token_count, text_hash, terms, lexical)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::sparsevec)`,
      [
        ...key,
        id,
        knowledgeBaseId,
        chunk.ordinal,
        chunk.kind,
        chunk.content,
        chunk.headingPath,
        chunk.startOffset,
        chunk.endOffset,
        chunk.tokenCount,
        createHash('sha256').update(chunk.content).digest(),
        terms,
        toSparsevecText(vector),
      ],
    );
    const { spaceId, model } = this.space(knowledgeBaseId);
    await transaction.query(
      `INSERT INTO chunk_vectors (tenant_id, document_id, version, chunk_id, kb_id, space_id, embedding)
       VALUES ($1, $2, $3, $4, $5, $6, $7::halfvec)`,
      [...key, id, knowledgeBaseId, spaceId, toVectorText(vectorOf(model, chunk.content))],
    );
  }

  private space(knowledgeBaseId: string): { spaceId: string; model: EmbeddingModel } {
    const space = this.models.get(knowledgeBaseId);
    if (!space) throw new Error('a knowledge base of another corpus');
    return space;
  }

  private write(work: (transaction: Transaction) => Promise<void>): Promise<void> {
    return this.database.withTenant(this.tenantId, work);
  }
}

async function ensureSpace(transaction: Transaction, model: EmbeddingModel): Promise<string> {
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
  if (!space) throw new Error('the server answered nothing');
  return space.id;
}

function piecesOf(text: string, length: number): { start: number; text: string }[] {
  const pieces = [];
  for (let start: number | undefined = 0; start !== undefined;) {
    const piece: { text: string; nextOffset?: number } = sliceWellFormed(text, start, length);
    pieces.push({ start, text: piece.text });
    start = piece.nextOffset;
  }
  return pieces;
}
