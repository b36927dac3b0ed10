import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toVectorText, withAdmin } from '@lectern/database';
import { executedPlans, fakeModel, fakeVector, hasServers, testPostgres, type TestPostgres } from '@lectern/testing';
import { candidateQuery, candidateValues } from '../src/search/candidate-query.js';
import { walkVectorIndex } from '../src/search/search.repository.js';
import type { Legs } from '../src/search/legs.js';
import { Corpus } from './corpus.js';

/** Documents by knowledge base; enough of them for the planner to care. */
const tenants = { other: { large: 10, small: 5 }, mine: { large: 60, small: 8 } };
const chunksPerDocument = 100;

const fill = `
  WITH document AS (
    INSERT INTO documents (tenant_id, id, kb_id, title, content_type, sha256, blob_key, byte_count, chunk_count, state, active_version)
    SELECT $1, gen_random_uuid(), $2, 'd', 'txt', sha256(n::text::bytea), 'd', 1, $4, 'ready', 1
    FROM generate_series(1, $3::int) n RETURNING id
  ), made AS (
    INSERT INTO chunks (tenant_id, id, kb_id, document_id, version, ordinal, kind, content, start_offset, end_offset,
      token_count, text_hash, terms, lexical)
    SELECT $1, gen_random_uuid(), $2, document.id, 1, n, 'text', repeat('x', 200), 0, 200, 50, sha256(n::text::bytea),
      ARRAY[n % 500 + 1, n % 499 + 1000], format('{%s:1.5,%s:1}/1000000000', n % 500 + 1, n % 499 + 1000)::sparsevec
    FROM document, generate_series(1, $4::int) n RETURNING id, document_id
  )
  INSERT INTO chunk_vectors (tenant_id, space_id, kb_id, document_id, version, chunk_id, embedding)
  SELECT $1, (SELECT id FROM embedding_spaces), $2, made.document_id, 1, made.id,
    (SELECT array_agg(random() * (d + 0 * length(made.id::text)))::real[]::halfvec FROM generate_series(1, $5::int) d)
  FROM made`;

(hasServers('postgres') ? describe : describe.skip)('the plans of a search, as the service role', () => {
  let postgres: TestPostgres;
  let tenantId: string;
  let large: string;
  let small: string;
  let documentId: string;
  let spaceId: string;

  beforeAll(async () => {
    postgres = await testPostgres();
    for (const [name, documents] of Object.entries(tenants)) {
      tenantId = await postgres.createTenant(name);
      const corpus = new Corpus(postgres.database('ingestion'), tenantId);
      [large, small] = [await corpus.addKnowledgeBase('large'), await corpus.addKnowledgeBase('small')];
      await withAdmin(postgres.adminUrl, async (transaction) => {
        const shape = [chunksPerDocument, fakeModel.dimension];
        await transaction.query(fill, [tenantId, large, documents.large, ...shape]);
        await transaction.query(fill, [tenantId, small, documents.small, ...shape]);
      });
    }
    await withAdmin(postgres.adminUrl, async (transaction) => {
      await transaction.query('ANALYZE');
      const [row] = await transaction.query<{ spaceId: string; documentId: string }>(
        'SELECT space_id AS "spaceId", document_id AS "documentId" FROM chunk_vectors WHERE kb_id = $1 LIMIT 1',
        [small],
      );
      ({ spaceId, documentId } = row!);
    });
  });
  afterAll(() => postgres.close());

  /** What the server did, the statements inside functions included. */
  async function plans(
    legs: Pick<Legs, 'dense' | 'lexical'>,
    scope: { knowledgeBaseIds: string[]; documentId?: string },
  ): Promise<string> {
    const parameters = {
      tenantId,
      spaceId,
      knowledgeBaseIds: scope.knowledgeBaseIds,
      documentId: scope.documentId,
      vector: toVectorText(fakeVector('question')),
      lexicalQuery: '{7:2,1007:1}/1000000000',
      limit: 50,
    };
    const observed = await executedPlans(postgres.adminUrl, {
      role: 'lectern_retrieval',
      tenantId,
      settings: walkVectorIndex,
      sql: candidateQuery(fakeModel.dimension, legs),
      values: candidateValues(parameters, { ...legs, terms: [7, 1007], exact: false }),
    });
    return observed.join('\n');
  }

  const vectorIndex = /Index Scan using chunk_vectors_\w+_embedding_idx/;
  const wholeTable = /Seq Scan on (chunks\b|chunk_vectors)/;
  const leaves = (text: string) => new Set(text.match(/chunk_vectors_[0-9a-f]{32}_\d/g));

  it("walks the vector index of the tenant's leaf alone when the scope is large", async () => {
    const text = await plans({ dense: 'index', lexical: 'index' }, { knowledgeBaseIds: [large, small] });
    expect(text).toMatch(vectorIndex);
    expect(text).not.toMatch(wholeTable);
    expect(leaves(text).size).toBe(1);
  });

  it("reads the scope's vectors alone, and all of them, when it is small", async () => {
    for (const scope of [{ knowledgeBaseIds: [small] }, { knowledgeBaseIds: [small], documentId }]) {
      const text = await plans({ dense: 'all', lexical: 'index' }, scope);
      expect(text).not.toMatch(vectorIndex);
      expect(text).not.toMatch(wholeTable);
      expect(leaves(text).size).toBe(1);
    }
  });

  it('takes the lexical candidates from the index of their terms alone', async () => {
    const text = await plans({ dense: 'index', lexical: 'index' }, { knowledgeBaseIds: [large, small] });
    expect(text.match(/Bitmap Index Scan on chunks\w+/g)).toEqual(['Bitmap Index Scan on chunks_terms']);
  });

  it("looks at the scope's chunks alone where the words of the question are too frequent for their index", async () => {
    for (const scope of [{ knowledgeBaseIds: [small] }, { knowledgeBaseIds: [small], documentId }]) {
      const text = await plans({ dense: 'all', lexical: 'all' }, scope);
      expect(text).toMatch(/Index Scan using chunks_tenant_id_document_id/);
      expect(text).not.toMatch(wholeTable);
    }
  });
});
