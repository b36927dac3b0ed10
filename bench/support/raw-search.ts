import { toVectorText, withAdmin } from '@lectern/database';
import {
  candidateQuery,
  candidatesPerLeg,
  candidateValues,
  chooseLegs,
  searchSettings,
  weighTerms,
} from '@lectern/retrieval';
import type { TestPostgres } from '@lectern/testing';
import { lexicalQuery } from '@lectern/text';
import pg from 'pg';
import { z } from 'zod';

/** A search's one statement, sent by the driver with everything that goes into it computed before. */
export interface RawSearch {
  search(question: string): Promise<number>;
  close(): Promise<void>;
}

interface Scope {
  tenantId: string;
  spaceId: string;
  dimension: number;
  knowledgeBaseIds: string[];
  chunkCount: number;
  documentFrequencies: Map<number, number>;
}

/** Connections of the pool, as many as a replica of retrieval keeps. */
const poolSize = 8;

/** Prepares the statement for some questions, over all that one tenant has. */
export async function openRawSearch(
  postgres: TestPostgres,
  tenantId: string,
  vectors: ReadonlyMap<string, Float32Array>,
): Promise<RawSearch> {
  const scope = await readScope(postgres.adminUrl, tenantId);
  const limits = z.object(searchSettings).parse({});
  const statements = new Map(
    [...vectors].map(([question, vector]) => {
      const weights = weighTerms(lexicalQuery(tenantId, question), scope);
      const legs = chooseLegs({ scope: scope.chunkCount, tenant: scope.chunkCount }, weights, limits);
      const parameters = { vector: toVectorText(vector), lexicalQuery: weights.query, limit: candidatesPerLeg };
      const values = candidateValues({ ...scope, ...parameters, documentId: undefined }, legs);
      return [question, { text: candidateQuery(scope.dimension, legs), values }];
    }),
  );
  const pool = new pg.Pool({
    connectionString: postgres.serviceUrl,
    max: poolSize,
    idleTimeoutMillis: 0,
    // The role and the tenant of every connection, in place of those that a service sets for each transaction.
    options: `-c jit=off -c role=lectern_retrieval -c app.tenant_id=${tenantId}`,
  });
  return {
    search: async (question) => (await pool.query(statements.get(question)!)).rows.length,
    close: () => pool.end(),
  };
}

function readScope(adminUrl: string, tenantId: string): Promise<Scope> {
  return withAdmin(adminUrl, async (transaction) => {
    const [space] = await transaction.query<Omit<Scope, 'documentFrequencies'>>(
      `SELECT k.tenant_id AS "tenantId", s.id AS "spaceId", s.dimension, array_agg(k.kb_id) AS "knowledgeBaseIds",
              (SELECT chunk_count FROM lexical_totals WHERE tenant_id = $1) AS "chunkCount"
       FROM knowledge_base_spaces k JOIN embedding_spaces s ON s.id = k.space_id
       WHERE k.tenant_id = $1 GROUP BY k.tenant_id, s.id`,
      [tenantId],
    );
    const terms = await transaction.query<{ term: number; frequency: number }>(
      'SELECT term, document_frequency AS frequency FROM lexical_terms WHERE tenant_id = $1',
      [tenantId],
    );
    return { ...space!, documentFrequencies: new Map(terms.map(({ term, frequency }) => [term, frequency])) };
  });
}
