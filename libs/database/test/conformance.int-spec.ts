import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId, toSparsevecText, toVectorText, type Database } from '@lectern/database';
import { describeBackends, type Backend } from './backends.js';
import { ensureSpace, seedDocument, type Seed } from './seed.js';

describeBackends('a database', (open) => {
  let backend: Backend;
  let ingestion: Database;
  let retrieval: Database;
  let tenant: string;
  let other: string;
  let seed: Seed;

  beforeAll(async () => {
    backend = await open();
    ingestion = backend.database('ingestion');
    retrieval = backend.database('retrieval');
    tenant = await backend.createTenant('one');
    other = await backend.createTenant('two');
    seed = await seedDocument(ingestion, tenant);
  });
  afterAll(() => backend.close());

  const insertKnowledgeBase = (database: Database, owner: string, name: string) =>
    database.withTenant(owner, (transaction) =>
      transaction.query('INSERT INTO knowledge_bases (tenant_id, id, name) VALUES ($1, $2, $3)', [
        owner,
        newId(),
        name,
      ]),
    );
  const findKnowledgeBase = (owner: string, name: string) =>
    retrieval.withTenant(owner, (transaction) =>
      transaction.query<{ name: string }>('SELECT name FROM knowledge_bases WHERE name = $1', [name]),
    );

  it('accepts the schema that its migrations made', async () => {
    await expect(retrieval.assertSchema()).resolves.toBeUndefined();
    await expect(retrieval.ping()).resolves.toBeUndefined();
  });

  it('gives every type back alike', async () => {
    const [row] = await retrieval.withTenant(tenant, (transaction) =>
      transaction.query(
        `SELECT count(*) AS count, '2026-01-02T03:04:05.678Z'::timestamptz AS time, gen_random_uuid() AS id,
                '\\x0102'::bytea AS bytes, '[0.5,-1]'::halfvec AS dense, '{2:0.5,5:1}/10'::sparsevec AS sparse,
                1.5::real AS real, 0.1::float8 AS double, '{"a": [1]}'::jsonb AS json, true AS flag, null AS nothing,
                ARRAY['a', null, 'b c'] AS texts, ARRAY[]::text[] AS none, ARRAY[1, 2] AS numbers,
                ARRAY[$1::uuid] AS ids, ARRAY[true, false] AS flags, ARRAY[0.5, 1]::real[] AS reals, 7::smallint AS small`,
        [tenant],
      ),
    );
    expect(row).toMatchObject({
      count: 1,
      dense: '[0.5,-1]',
      sparse: '{2:0.5,5:1}/10',
      real: 1.5,
      double: 0.1,
      json: { a: [1] },
      flag: true,
      nothing: null,
      texts: ['a', null, 'b c'],
      none: [],
      numbers: [1, 2],
      ids: [tenant],
      flags: [true, false],
      reals: [0.5, 1],
      small: 7,
    });
    expect(row?.id).toMatch(/^[0-9a-f-]{36}$/);
    // Another realm's Date on one of the back ends, so no instanceof.
    expect(Object.prototype.toString.call(row?.time)).toBe('[object Date]');
    expect((row?.time as Date).toISOString()).toBe('2026-01-02T03:04:05.678Z');
    expect([...(row?.bytes as Uint8Array)]).toEqual([1, 2]);
  });

  it('takes every type alike', async () => {
    const texts = ['a', '带"引号', 'c,d', '{}', 'back\\slash', 'line\nend', '', 'NULL', '🙂'];
    const time = new Date('2026-01-02T03:04:05.678Z');
    const [row] = await retrieval.withTenant(tenant, (transaction) =>
      transaction.query(
        `SELECT $1::text[] AS texts, $2::int[] AS numbers, $3::uuid[] AS ids, $4::timestamptz AS time, $5::jsonb AS json,
                $6::boolean AS flag, $7::int8 AS large, $8::real AS real, $9::text AS nothing, $10::text AS absent,
                (SELECT array_agg(encode(b, 'hex')) FROM unnest($11::bytea[]) b) AS hashes, $12::halfvec AS dense,
                $13::sparsevec AS sparse, $14::text[] AS none, encode($15::bytea, 'hex') AS bytes, $16::text AS text`,
        [
          texts,
          [1, -2],
          [tenant, other],
          time,
          JSON.stringify([{ a: '知识' }]),
          true,
          5_000_000_000,
          0.25,
          null,
          undefined,
          [Buffer.from([0, 255]), new Uint8Array([16])],
          toVectorText(new Float32Array([0.5, -1])),
          toSparsevecText({ indices: [2, 5], values: [0.5, 1], dimension: 10 }),
          [],
          new Uint8Array([222, 173]),
          '🙂\\n\'"',
        ],
      ),
    );
    expect(row).toMatchObject({
      texts,
      numbers: [1, -2],
      ids: [tenant, other],
      json: [{ a: '知识' }],
      flag: true,
      large: 5_000_000_000,
      real: 0.25,
      nothing: null,
      absent: null,
      hashes: ['00ff', '10'],
      dense: '[0.5,-1]',
      sparse: '{2:0.5,5:1}/10',
      none: [],
      bytes: 'dead',
      text: '🙂\\n\'"',
    });
    expect((row?.time as Date).toISOString()).toBe(time.toISOString());
  });

  it('stores chunks and vectors in bulk and finds the nearest by its leg', async () => {
    const [dense] = await retrieval.withTenant(tenant, (transaction) =>
      transaction.query<{ chunk_id: string; distance: number }>(
        `SELECT chunk_id, embedding::halfvec(3) <=> $3::halfvec(3) AS distance FROM chunk_vectors
         WHERE tenant_id = $1 AND space_id = $2 ORDER BY distance LIMIT 1`,
        [tenant, seed.spaceId, '[0,1,0]'],
      ),
    );
    expect(dense).toEqual({ chunk_id: seed.chunkIds[1], distance: 0 });
    const lexical = await retrieval.withTenant(tenant, (transaction) =>
      transaction.query<{ term: number; document_frequency: number }>(
        'SELECT term, document_frequency FROM lexical_terms WHERE tenant_id = $1 ORDER BY term',
        [tenant],
      ),
    );
    expect(lexical).toEqual([
      { term: 7, document_frequency: 1 },
      { term: 9, document_frequency: 2 },
    ]);
  });

  it('refuses a vector of another dimension than its space', async () => {
    const stored = ingestion.withTenant(tenant, (transaction) =>
      transaction.query("UPDATE chunk_vectors SET embedding = '[1,2]'::halfvec WHERE chunk_id = $1", [
        seed.chunkIds[0],
      ]),
    );
    await expect(stored).rejects.toThrow(/check constraint|dimensions/);
  });

  it('shows a tenant its own rows alone and lets it write no others', async () => {
    await insertKnowledgeBase(ingestion, tenant, 'mine');
    expect(await findKnowledgeBase(tenant, 'mine')).toHaveLength(1);
    expect(await findKnowledgeBase(other, 'mine')).toEqual([]);
    const foreign = ingestion.withTenant(other, (transaction) =>
      transaction.query('INSERT INTO knowledge_bases (tenant_id, id, name) VALUES ($1, $2, $3)', [
        tenant,
        newId(),
        'x',
      ]),
    );
    await expect(foreign).rejects.toThrow(/row-level security/);
  });

  it('rolls back when the work throws, and goes on', async () => {
    const failed = ingestion.withTenant(tenant, async (transaction) => {
      await transaction.query('INSERT INTO knowledge_bases (tenant_id, id, name) VALUES ($1, $2, $3)', [
        tenant,
        newId(),
        'gone',
      ]);
      throw new Error('on purpose');
    });
    await expect(failed).rejects.toThrow('on purpose');
    expect(await findKnowledgeBase(tenant, 'gone')).toEqual([]);
  });

  it('rejects when a statement failed, even if the work swallows it', async () => {
    const swallowed = ingestion.withTenant(tenant, async (transaction) => {
      await transaction.query('SELECT 1/0').catch(() => undefined);
      return 'fine';
    });
    await expect(swallowed).rejects.toMatchObject({ code: '22012' });
  });

  it('names the constraint that a row breaks', async () => {
    await insertKnowledgeBase(ingestion, tenant, 'twice');
    await expect(insertKnowledgeBase(ingestion, tenant, 'twice')).rejects.toMatchObject({
      code: '23505',
      constraint: 'knowledge_bases_tenant_id_name_key',
    });
  });

  it('lets nobody use a transaction that has ended', async () => {
    const leaked = await retrieval.withTenant(tenant, async (transaction) => transaction);
    await expect(leaked.query('SELECT 1')).rejects.toThrow(/has ended/);
  });

  it('runs many transactions at once without mixing their tenants', async () => {
    const owners = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? tenant : other));
    const seen = await Promise.all(
      owners.map((owner) =>
        retrieval.withTenant(owner, async (transaction) => {
          const [row] = await transaction.query<{ tenant: string }>('SELECT current_tenant() AS tenant');
          return row?.tenant;
        }),
      ),
    );
    expect(seen).toEqual(owners);
  });

  it('keeps a read-only transaction from writing', async () => {
    const write = ingestion.withTenant(
      tenant,
      (transaction) => transaction.query("UPDATE knowledge_bases SET description = 'x'"),
      { readOnly: true },
    );
    await expect(write).rejects.toThrow(/read-only/);
  });

  it('refuses a tenant id that is none, without running anything', async () => {
    await expect(retrieval.withTenant("x'; DROP TABLE tenants; --", async () => 1)).rejects.toThrow(/UUID/);
  });

  it('runs nothing for an aborted caller, and nothing more once it aborts', async () => {
    const gone = new Error('gone');
    const work = retrieval.withTenant(tenant, async () => 1, { signal: AbortSignal.abort(gone) });
    await expect(work).rejects.toBe(gone);
    const abort = new AbortController();
    const halfway = ingestion.withTenant(
      tenant,
      async (transaction) => {
        await transaction.query('INSERT INTO knowledge_bases (tenant_id, id, name) VALUES ($1, $2, $3)', [
          tenant,
          newId(),
          'aborted',
        ]);
        abort.abort(gone);
      },
      { signal: abort.signal },
    );
    await expect(halfway).rejects.toBe(gone);
    expect(await findKnowledgeBase(tenant, 'aborted')).toEqual([]);
  });

  it('makes an embedding space once, with an index of its dimension on every leaf', async () => {
    const ensure = () => ingestion.withTenant(tenant, ensureSpace);
    const ids = await Promise.all([ensure(), ensure()]);
    expect(ids).toEqual([seed.spaceId, seed.spaceId]);
    const leaves = await backend.asAdmin((transaction) =>
      transaction.query<{ index: string; storage: string }>(
        `SELECT pg_get_indexdef(i.indexrelid) AS index, a.attstorage AS storage
         FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid JOIN pg_class x ON x.oid = i.indexrelid
         JOIN pg_am m ON m.oid = x.relam JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'embedding'
         WHERE m.amname = 'hnsw' AND c.relkind = 'r'`,
      ),
    );
    expect(leaves).toHaveLength(8);
    expect(leaves.every(({ index, storage }) => index.includes('halfvec(3)') && storage === 'p')).toBe(true);
  });

  it('looks across tenants by ids alone', async () => {
    const jobs = await ingestion.lookup<{ tenant_id: string; job_id: string }>('outstanding_ingestion_jobs', [
      new Date(Date.now() + 60_000),
      10,
    ]);
    expect(jobs.map((job) => job.tenant_id)).toEqual([tenant]);
    const changed = await ingestion.lookup<{ tenant_id: string }>('tenants_to_recount', [10]);
    expect(changed.map((row) => row.tenant_id)).toEqual([tenant]);
    await expect(retrieval.lookup('tenants_to_recount', [10])).rejects.toThrow(/permission denied/);
  });

  it('takes everything of a document away with it', async () => {
    const doomed = await seedDocument(ingestion, other);
    await ingestion.withTenant(other, (transaction) =>
      transaction.query('DELETE FROM knowledge_bases WHERE tenant_id = $1 AND id = $2', [
        other,
        doomed.knowledgeBaseId,
      ]),
    );
    const [left] = await retrieval.withTenant(other, (transaction) =>
      transaction.query(
        `SELECT (SELECT count(*) FROM documents) + (SELECT count(*) FROM chunks) + (SELECT count(*) FROM chunk_vectors)
           + (SELECT count(*) FROM document_texts) + (SELECT count(*) FROM ingestion_jobs) AS rows`,
      ),
    );
    expect(left).toEqual({ rows: 0 });
  });
});
