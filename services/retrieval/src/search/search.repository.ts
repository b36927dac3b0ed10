import type { EmbeddingModel } from '@lectern/contracts';
import { toVectorText, type Database, type Transaction } from '@lectern/database';
import { candidateQuery, candidateValues } from './candidate-query.js';
import type { Candidate } from './fusion.js';
import type { Legs } from './legs.js';
import type { TermStatistics } from './lexical-weights.js';

/** Passages that each leg gives at most. */
export const candidatesPerLeg = 50;

export interface Scope {
  knowledgeBaseId?: string | undefined;
  documentId?: string | undefined;
}

/** The knowledge bases of a scope that share an embedding space. */
export interface SpaceScope {
  spaceId: string;
  model: EmbeddingModel;
  knowledgeBaseIds: string[];
  /** Published chunks of the scope; exact as far as it is no larger than the bound that was asked for. */
  chunkCount: number;
}

/** A passage with both scores. */
export interface Found extends Candidate {
  /** Whether the dense leg gave it. */
  near: boolean;
}

export interface Passage {
  chunkId: string;
  chunkIndex: number;
  content: string;
  documentId: string;
  documentTitle: string;
  knowledgeBaseId: string;
  headingPath: string[];
  page: number | null;
  sheet: string | null;
  range: string | null;
  startOffset: number;
  endOffset: number;
}

export interface CandidateRequest {
  space: SpaceScope;
  documentId: string | undefined;
  vector: Float32Array;
  /** The question's terms with their idf, in pgvector's text form. */
  lexicalQuery: string;
  legs: Legs;
}

export class SearchRepository {
  constructor(private readonly database: Database) {}

  /**
   * The scope by embedding space, or undefined when a named knowledge base or document is not the tenant's. Chunks are
   * counted up to the bound.
   */
  resolveScope(
    tenantId: string,
    scope: Scope,
    countBound: number,
    signal: AbortSignal,
  ): Promise<SpaceScope[] | undefined> {
    const values = [tenantId, scope.knowledgeBaseId ?? null, scope.documentId ?? null];
    return this.read(tenantId, signal, async (transaction) => {
      const [named] = await transaction.query<{ exist: boolean }>(namedExist, values);
      if (!named?.exist) return undefined;
      const rows = await transaction.query<SpaceRow>(spacesOfScope, [...values, countBound + 1]);
      return rows.map(toSpaceScope);
    });
  }

  termStatistics(tenantId: string, terms: readonly number[], signal: AbortSignal): Promise<TermStatistics> {
    return this.read(tenantId, signal, async (transaction) => {
      const rows = await transaction.query<{ term: number | null; frequency: number | null; chunkCount: number }>(
        `SELECT t.term, t.document_frequency AS frequency, l.chunk_count AS "chunkCount"
         FROM lexical_totals l
         LEFT JOIN lexical_terms t ON t.tenant_id = l.tenant_id AND t.term = ANY ($2::int[])
         WHERE l.tenant_id = $1`,
        [tenantId, [...terms]],
      );
      const counted = rows.flatMap(({ term, frequency }) =>
        term === null || frequency === null ? [] : [[term, frequency] as const],
      );
      return { chunkCount: rows[0]?.chunkCount ?? 0, documentFrequencies: new Map(counted) };
    });
  }

  /** Both scores for every passage that either leg found, in any order. */
  candidates(tenantId: string, request: CandidateRequest, signal: AbortSignal): Promise<Found[]> {
    const { space, documentId, vector, lexicalQuery, legs } = request;
    const parameters = {
      tenantId,
      spaceId: space.spaceId,
      knowledgeBaseIds: space.knowledgeBaseIds,
      documentId,
      vector: toVectorText(vector),
      lexicalQuery,
      limit: candidatesPerLeg,
    };
    return this.read(tenantId, signal, async (transaction) => {
      if (legs.dense === 'index') await transaction.query(walkVectorIndex);
      return transaction.query<Found>(candidateQuery(space.model.dimension, legs), candidateValues(parameters, legs));
    });
  }

  /** The passages of some chunks, in any order. */
  passages(tenantId: string, chunkIds: readonly string[], signal: AbortSignal): Promise<Passage[]> {
    return this.read(tenantId, signal, (transaction) =>
      transaction.query<Passage>(
        `SELECT c.id AS "chunkId", c.ordinal AS "chunkIndex", c.content, c.document_id AS "documentId",
                d.title AS "documentTitle", c.kb_id AS "knowledgeBaseId", c.heading_path AS "headingPath", c.page, c.sheet,
                c.range, c.start_offset AS "startOffset", c.end_offset AS "endOffset"
         FROM chunks c JOIN documents d ON d.tenant_id = c.tenant_id AND d.id = c.document_id
         WHERE c.tenant_id = $1 AND c.id = ANY ($2::uuid[])`,
        [tenantId, [...chunkIds]],
      ),
    );
  }

  private read<T>(tenantId: string, signal: AbortSignal, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.database.withTenant(tenantId, work, { readOnly: true, signal });
  }
}

/** Without the iterative scan a filter would leave a handful of rows of those that the index gives. */
export const walkVectorIndex =
  "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '100', true)";

const namedExist = `
  SELECT ($2::uuid IS NULL OR EXISTS (SELECT FROM knowledge_bases WHERE tenant_id = $1 AND id = $2))
     AND ($3::uuid IS NULL OR EXISTS (
       SELECT FROM documents WHERE tenant_id = $1 AND id = $3 AND ($2::uuid IS NULL OR kb_id = $2))) AS exist`;

/** Counting stops at the bound: a document that is counted has at least one chunk. */
const spacesOfScope = `
  SELECT s.id AS "spaceId", s.provider, s.model, s.revision, s.dimension, s.normalised, s.floor,
         s.min_similarity AS "minSimilarity", s.dense_weight AS "denseWeight", s.query_prefix AS "queryPrefix",
         s.passage_prefix AS "passagePrefix", s.max_tokens AS "maxTokens",
         bases.ids AS "knowledgeBaseIds", coalesce(counts.chunks, 0) AS "chunkCount"
  FROM (
    SELECT k.space_id, array_agg(k.kb_id ORDER BY k.kb_id) AS ids FROM knowledge_base_spaces k
    WHERE k.tenant_id = $1 AND k.state = 'active' AND ($2::uuid IS NULL OR k.kb_id = $2)
      AND ($3::uuid IS NULL OR k.kb_id = (SELECT kb_id FROM documents WHERE tenant_id = $1 AND id = $3))
    GROUP BY k.space_id
  ) bases
  JOIN embedding_spaces s ON s.id = bases.space_id
  CROSS JOIN LATERAL (
    SELECT sum(counted.chunk_count) AS chunks FROM (
      SELECT d.chunk_count FROM documents d
      WHERE d.tenant_id = $1 AND d.kb_id = ANY (bases.ids) AND d.active_version IS NOT NULL AND d.chunk_count > 0
        AND ($3::uuid IS NULL OR d.id = $3)
      LIMIT $4::int
    ) counted
  ) counts
  ORDER BY s.id`;

type SpaceRow = EmbeddingModel & Omit<SpaceScope, 'model'>;

function toSpaceScope({ spaceId, knowledgeBaseIds, chunkCount, ...model }: SpaceRow): SpaceScope {
  return { spaceId, knowledgeBaseIds, chunkCount, model };
}
