import type { Legs } from './legs.js';

/** The parameters of {@link candidateQuery}, in their order. */
export interface CandidateParameters {
  tenantId: string;
  spaceId: string;
  knowledgeBaseIds: readonly string[];
  documentId: string | undefined;
  /** The question's vector, in pgvector's text form. */
  vector: string;
  /** The question's terms with their idf, in pgvector's text form. */
  lexicalQuery: string;
  limit: number;
}

export function candidateValues(parameters: CandidateParameters, legs: Legs): unknown[] {
  const { tenantId, spaceId, knowledgeBaseIds, documentId, vector, lexicalQuery, limit } = parameters;
  const shared = [tenantId, spaceId, [...knowledgeBaseIds], documentId ?? null, vector, lexicalQuery, limit];
  return legs.lexical === 'index' ? [...shared, legs.terms] : shared;
}

const lexicalLeg: Record<Legs['lexical'], string> = {
  // A definer function: under row-level security the operator of this index would not use it.
  index: 'SELECT l.chunk_id FROM lexical_candidates($8::int[], $6::text, $3::uuid[], $4::uuid, $7::int) l',
  // Document by document, by OFFSET 0: joined with the scope's documents the whole table would be read.
  all: `
      SELECT c.id AS chunk_id FROM documents d
      CROSS JOIN LATERAL (
        SELECT id, lexical FROM chunks
        WHERE tenant_id = $1 AND document_id = d.id AND version = d.active_version OFFSET 0
      ) c
      WHERE d.tenant_id = $1 AND d.kb_id = ANY ($3::uuid[]) AND ($4::uuid IS NULL OR d.id = $4)
        AND (c.lexical <#> $6::text::sparsevec) < 0
      ORDER BY c.lexical <#> $6::text::sparsevec, c.id
      LIMIT $7::int`,
};

/**
 * One statement for both legs, which gives both scores for every passage that either of them found. The cast is the
 * one of the leaves' indexes. Adding zero keeps the planner from the vector index, which would silently return fewer
 * rows than match in a small scope; OFFSET 0 keeps the look-up of the few candidates from becoming a join with whole
 * tables.
 */
export function candidateQuery(dimension: number, legs: Pick<Legs, 'dense' | 'lexical'>): string {
  const distance = `(v.embedding::halfvec(${dimension}) <=> $5::halfvec(${dimension}))`;
  return `
    WITH dense AS (
      SELECT v.chunk_id FROM chunk_vectors v
      JOIN documents d ON d.tenant_id = v.tenant_id AND d.id = v.document_id AND d.active_version = v.version
      WHERE v.tenant_id = $1 AND v.space_id = $2 AND v.kb_id = ANY ($3::uuid[])
        AND ($4::uuid IS NULL OR v.document_id = $4)
      ORDER BY ${distance}${legs.dense === 'all' ? ' + 0, v.chunk_id' : ''}
      LIMIT $7::int
    ), lexical AS (
      ${lexicalLeg[legs.lexical]}
    ), found AS (
      SELECT chunk_id, bool_or(near) AS near
      FROM (SELECT chunk_id, true AS near FROM dense UNION ALL SELECT chunk_id, false FROM lexical) both_legs
      GROUP BY chunk_id
    )
    SELECT found.chunk_id AS "chunkId", found.near, 1 - ${distance} AS similarity,
           -(c.lexical <#> $6::text::sparsevec) AS bm25
    FROM found
    CROSS JOIN LATERAL (
      SELECT lexical FROM chunks WHERE tenant_id = $1 AND id = found.chunk_id OFFSET 0
    ) c
    CROSS JOIN LATERAL (
      SELECT embedding FROM chunk_vectors WHERE tenant_id = $1 AND space_id = $2 AND chunk_id = found.chunk_id OFFSET 0
    ) v`;
}
