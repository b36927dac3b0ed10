import type { EmbeddingModel } from '@lectern/contracts';
import { toVectorText, type Database, type Transaction } from '@lectern/database';
import type { Candidate } from './fusion.js';
import type { LexicalWeights, TermStatistics } from './lexical-weights.js';

/** Candidates that each leg gives. */
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
  /** Chunks of the scope, as far as they are published. */
  chunkCount: number;
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

interface LegRequest {
  space: SpaceScope;
  documentId: string | undefined;
  vector: Float32Array;
  weights: LexicalWeights;
  exact: boolean;
}

export class SearchRepository {
  constructor(private readonly database: Database) {}

  /** The scope by embedding space, or undefined when a named knowledge base or document is not the tenant's. */
  resolveScope(tenantId: string, scope: Scope, signal: AbortSignal): Promise<SpaceScope[] | undefined> {
    return this.read(tenantId, signal, async (transaction) => {
      if (!(await exists(transaction, tenantId, scope))) return undefined;
      const rows = await transaction.query<SpaceRow>(spacesOfScope, [
        tenantId,
        scope.knowledgeBaseId ?? null,
        scope.documentId ?? null,
      ]);
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

  /** Both scores for every passage that either leg found. */
  candidates(tenantId: string, request: LegRequest, signal: AbortSignal): Promise<Candidate[]> {
    const { space, documentId, vector, weights, exact } = request;
    return this.read(tenantId, signal, async (transaction) => {
      if (!exact) {
        await transaction.query(
          "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '100', true)",
        );
      }
      return transaction.query<Candidate>(bothLegs(space.model.dimension, exact), [
        tenantId,
        space.spaceId,
        space.knowledgeBaseIds,
        documentId ?? null,
        toVectorText(vector),
        weights.selective,
        weights.query,
        candidatesPerLeg,
      ]);
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

async function exists(transaction: Transaction, tenantId: string, scope: Scope): Promise<boolean> {
  const [row] = await transaction.query<{ found: boolean }>(
    `SELECT ($2::uuid IS NULL OR EXISTS (SELECT FROM knowledge_bases WHERE tenant_id = $1 AND id = $2))
        AND ($3::uuid IS NULL OR EXISTS (
          SELECT FROM documents WHERE tenant_id = $1 AND id = $3 AND ($2::uuid IS NULL OR kb_id = $2))) AS found`,
    [tenantId, scope.knowledgeBaseId ?? null, scope.documentId ?? null],
  );
  return row?.found === true;
}

const spacesOfScope = `
  SELECT s.id AS "spaceId", s.provider, s.model, s.revision, s.dimension, s.normalised, s.floor,
         s.min_similarity AS "minSimilarity", s.dense_weight AS "denseWeight", s.query_prefix AS "queryPrefix",
         s.passage_prefix AS "passagePrefix", s.max_tokens AS "maxTokens",
         array_agg(k.kb_id ORDER BY k.kb_id) AS "knowledgeBaseIds",
         coalesce(sum(counts.chunks), 0)::int AS "chunkCount"
  FROM knowledge_base_spaces k
  JOIN embedding_spaces s ON s.id = k.space_id
  CROSS JOIN LATERAL (
    SELECT sum(d.chunk_count) AS chunks FROM documents d
    WHERE d.tenant_id = k.tenant_id AND d.kb_id = k.kb_id AND d.active_version IS NOT NULL
      AND ($3::uuid IS NULL OR d.id = $3)
  ) counts
  WHERE k.tenant_id = $1 AND k.state = 'active' AND ($2::uuid IS NULL OR k.kb_id = $2)
    AND ($3::uuid IS NULL OR k.kb_id = (SELECT kb_id FROM documents WHERE tenant_id = $1 AND id = $3))
  GROUP BY s.id
  ORDER BY s.id`;

type SpaceRow = EmbeddingModel & Omit<SpaceScope, 'model'>;

function toSpaceScope({ spaceId, knowledgeBaseIds, chunkCount, ...model }: SpaceRow): SpaceScope {
  return { spaceId, knowledgeBaseIds, chunkCount, model };
}

/**
 * One statement for both legs. The cast is the one of the leaves' indexes. Adding zero keeps the planner from the vector
 * index, which would silently return fewer rows than match in a small scope; OFFSET 0 keeps the look-up of the few
 * candidates from becoming a join with whole tables.
 */
export function bothLegs(dimension: number, exact: boolean): string {
  const distance = `(v.embedding::halfvec(${dimension}) <=> $5::halfvec(${dimension}))`;
  return `
    WITH dense AS (
      SELECT v.chunk_id
      FROM chunk_vectors v
      JOIN documents d ON d.tenant_id = v.tenant_id AND d.id = v.document_id AND d.active_version = v.version
      WHERE v.tenant_id = $1 AND v.space_id = $2 AND v.kb_id = ANY ($3::uuid[])
        AND ($4::uuid IS NULL OR v.document_id = $4)
      ORDER BY ${distance}${exact ? ' + 0' : ''}
      LIMIT $8::int
    ), lexical AS (
      SELECT l.chunk_id FROM lexical_candidates($6::int[], $7::text, $3::uuid[], $4::uuid, $8::int) l
    )
    SELECT found.chunk_id AS "chunkId", 1 - ${distance} AS similarity, -(c.lexical <#> $7::text::sparsevec) AS bm25
    FROM (SELECT chunk_id FROM dense UNION SELECT chunk_id FROM lexical) found
    CROSS JOIN LATERAL (
      SELECT lexical FROM chunks WHERE tenant_id = $1 AND id = found.chunk_id OFFSET 0
    ) c
    CROSS JOIN LATERAL (
      SELECT embedding FROM chunk_vectors WHERE tenant_id = $1 AND space_id = $2 AND chunk_id = found.chunk_id OFFSET 0
    ) v`;
}
