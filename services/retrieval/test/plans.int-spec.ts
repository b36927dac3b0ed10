import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withAdmin } from '@lectern/database';
import { testPostgres, type TestPostgres, fakeVector, fakeModel } from '@lectern/testing';
import { toVectorText } from '@lectern/database';
import { bothLegs } from '../src/search/search.repository.js';
import { insertKnowledgeBase } from './fixture.js';

/** Enough rows for the planner to care, spread over several tenants. */
const rowsPerTenant = 3000;

describe('the plans of a search, as the service role', () => {
  let postgres: TestPostgres;
  let tenant: string;
  let knowledgeBaseId: string;
  let spaceId: string;

  beforeAll(async () => {
    postgres = await testPostgres();
    const ingestion = postgres.database('ingestion');
    for (const name of ['other', 'another', 'mine']) {
      tenant = await postgres.createTenant(name);
      knowledgeBaseId = await insertKnowledgeBase(ingestion, tenant, 'base');
      await fill(tenant, knowledgeBaseId);
    }
    await withAdmin(postgres.adminUrl, async (connection) => {
      await connection.query('ANALYZE');
      const [space] = await connection.query<{ id: string }>('SELECT id FROM embedding_spaces');
      spaceId = space!.id;
    });
  });
  afterAll(() => postgres.close());

  /** Synthetic rows: one document, random vectors, terms of which each chunk has five. */
  async function fill(tenantId: string, base: string): Promise<void> {
    await withAdmin(postgres.adminUrl, async (connection) => {
      await connection.query(
        `WITH document AS (
           INSERT INTO documents (tenant_id, id, kb_id, title, content_type, sha256, blob_key, byte_count, chunk_count, state, active_version)
           VALUES ($1, gen_random_uuid(), $2, 'd', 'txt', sha256('d'), 'd', 1, $3, 'ready', 1) RETURNING id
         ), made AS (
           INSERT INTO chunks (tenant_id, id, kb_id, document_id, version, ordinal, kind, content, start_offset, end_offset,
             token_count, text_hash, terms, lexical)
           SELECT $1, gen_random_uuid(), $2, document.id, 1, n, 'text', repeat('x', 200), 0, 200, 50, sha256(n::text::bytea),
             ARRAY[n % 500 + 1, n % 499 + 1000], format('{%s:1.5,%s:1}/1000000000', n % 500 + 1, n % 499 + 1000)::sparsevec
           FROM document, generate_series(1, $3::int) n RETURNING id, document_id
         )
         INSERT INTO chunk_vectors (tenant_id, space_id, kb_id, document_id, version, chunk_id, embedding)
         SELECT $1, (SELECT id FROM embedding_spaces), $2, made.document_id, 1, made.id,
           (SELECT array_agg(random() * (d + 0 * length(made.id::text)))::real[]::halfvec FROM generate_series(1, $4::int) d)
         FROM made`,
        [tenantId, base, rowsPerTenant, fakeModel.dimension],
      );
    });
  }

  async function plan(sql: string, values: unknown[]): Promise<string> {
    return postgres.database('retrieval').withTenant(tenant, async (transaction) => {
      await transaction.query("SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true)");
      const rows = await transaction.query<{ 'QUERY PLAN': string }>(`EXPLAIN (COSTS OFF) ${sql}`, values);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
  }

  const values = () => [
    tenant,
    spaceId,
    [knowledgeBaseId],
    null,
    toVectorText(fakeVector('question')),
    [7, 1007],
    '{7:2,1007:1}/1000000000',
    50,
  ];

  it("walks the vector index of the tenant's leaf alone when the scope is large", async () => {
    const text = await plan(bothLegs(fakeModel.dimension, false), values());
    expect(text).toMatch(/Index Scan using chunk_vectors_\w+_embedding_idx/);
    expect(text).not.toMatch(/Seq Scan on (chunks\b|chunk_vectors)/);
  });

  it("reads the tenant's rows alone, and all of them, when the scope is small", async () => {
    const text = await plan(bothLegs(fakeModel.dimension, true), values());
    expect(text).not.toMatch(/Index Scan using chunk_vectors_\w+_embedding_idx/);
    expect(text).not.toMatch(/Seq Scan on chunks\b/);
    expect(text.match(/chunk_vectors_[0-9a-f]{32}_\d/g)?.every((leaf, _, all) => leaf === all[0])).toBe(true);
  });

  it('takes the lexical candidates from their index, which the policy alone would not', async () => {
    // The function's statement, as its owner runs it.
    const [source] = await withAdmin(postgres.adminUrl, (connection) =>
      connection.query<{ body: string }>("SELECT prosrc AS body FROM pg_proc WHERE proname = 'lexical_candidates'"),
    );
    const statement = ['p_terms', 'p_query', 'p_kb_ids', 'p_document', 'p_limit'].reduce(
      (sql, name, index) =>
        sql.replaceAll(
          new RegExp(`\\b${name}\\b`, 'g'),
          ['$1::int[]', '$2::text', '$3::uuid[]', '$4::uuid', '$5::int'][index]!,
        ),
      source!.body,
    );
    const text = await withAdmin(postgres.adminUrl, async (connection) => {
      await connection.query('BEGIN');
      await connection.query('SET LOCAL ROLE lectern_owner');
      await connection.query("SELECT set_config('app.tenant_id', $1, true)", [tenant]);
      const rows = await connection.query<{ 'QUERY PLAN': string }>(`EXPLAIN (COSTS OFF) ${statement}`, [
        [7],
        '{7:2}/1000000000',
        [knowledgeBaseId],
        null,
        50,
      ]);
      await connection.query('ROLLBACK');
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
    expect(text).toMatch(/Bitmap Index Scan on chunks_terms/);
    expect(text).not.toMatch(/Seq Scan on chunks/);
  });
});
