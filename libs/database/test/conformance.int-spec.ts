import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, toSparsevecText, toVectorText, type Database } from '@lectern/database';
import { backends, type Backend } from './backends.js';

describe.each(Object.entries(backends))('a database on %s', (_name, open) => {
  let backend: Backend;
  let ingestion: Database;
  let retrieval: Database;
  let tenant: string;
  let other: string;

  beforeAll(async () => {
    backend = await open();
    ingestion = backend.database('ingestion');
    retrieval = backend.database('retrieval');
    tenant = await backend.createTenant('one');
    other = await backend.createTenant('two');
  });
  afterAll(() => backend.close());

  const insertKnowledgeBase = (database: Database, owner: string, name: string) =>
    database.withTenant(owner, (transaction) =>
      transaction.query<{ id: string }>(
        'INSERT INTO knowledge_bases (tenant_id, id, name) VALUES ($1, $2, $3) RETURNING id',
        [owner, newId(), name],
      ),
    );

  it('accepts the schema that its migrations made', async () => {
    await expect(retrieval.assertSchema()).resolves.toBeUndefined();
    await expect(retrieval.ping()).resolves.toBeUndefined();
  });

  it('gives every type back alike', async () => {
    const [row] = await retrieval.withTenant(tenant, (transaction) =>
      transaction.query(
        `SELECT count(*) AS count, now() AS time, $1::uuid AS id, $2::text[] AS texts, $3::int[] AS numbers,
                '\\x0102'::bytea AS bytes, $4::halfvec AS dense, $5::sparsevec AS sparse, 1.5::real AS real,
                $6::jsonb AS json, true AS flag, null AS nothing`,
        [
          tenant,
          ['a', '带"引号', 'c,d'],
          [1, 2],
          toVectorText(new Float32Array([0.5, -1])),
          toSparsevecText({ indices: [2, 5], values: [0.5, 1], dimension: 10 }),
          JSON.stringify({ a: [1] }),
        ],
      ),
    );
    expect(row).toMatchObject({
      count: 1,
      id: tenant,
      texts: ['a', '带"引号', 'c,d'],
      numbers: [1, 2],
      dense: '[0.5,-1]',
      sparse: '{2:0.5,5:1}/10',
      real: 1.5,
      json: { a: [1] },
      flag: true,
      nothing: null,
    });
    // Another realm's Date on one of the back ends, so no instanceof.
    expect(Object.prototype.toString.call(row?.time)).toBe('[object Date]');
    expect([...(row?.bytes as Uint8Array)]).toEqual([1, 2]);
  });

  it('shows a tenant its own rows alone and lets it write no others', async () => {
    await insertKnowledgeBase(ingestion, tenant, 'mine');
    const count = (owner: string) =>
      retrieval.withTenant(owner, async (transaction) => {
        const rows = await transaction.query<{ count: number }>('SELECT count(*) AS count FROM knowledge_bases');
        return rows[0]?.count;
      });
    expect([await count(tenant), await count(other)]).toEqual([1, 0]);
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
    const rows = await retrieval.withTenant(tenant, (transaction) =>
      transaction.query("SELECT 1 AS one FROM knowledge_bases WHERE name = 'gone'"),
    );
    expect(rows).toEqual([]);
  });

  it('keeps retrieval from writing and the gateway from documents', async () => {
    await expect(insertKnowledgeBase(retrieval, tenant, 'no')).rejects.toThrow(/permission denied/);
    const read = backend
      .database('gateway')
      .withTenant(tenant, (transaction) => transaction.query('SELECT FROM documents'));
    await expect(read).rejects.toThrow(/permission denied/);
  });

  it('refuses a tenant id that is none, without running anything', async () => {
    await expect(retrieval.withTenant("x'; DROP TABLE tenants; --", async () => 1)).rejects.toThrow(/UUID/);
  });

  it('runs nothing for an aborted caller', async () => {
    const work = retrieval.withTenant(tenant, async () => 1, { signal: AbortSignal.abort(new Error('gone')) });
    await expect(work).rejects.toThrow('gone');
  });

  it('makes an embedding space once, with an index of its dimension on every leaf', async () => {
    const ensure = () =>
      ingestion.withTenant(tenant, async (transaction) => {
        const rows = await transaction.query<{ id: string }>(
          "SELECT ensure_embedding_space($1, 'fake', 'm', '1', 3, true, 0.1, 0.2, 0.5, 'q: ', 'p: ', 512) AS id",
          [newId()],
        );
        return rows[0]?.id;
      });
    const ids = await Promise.all([ensure(), ensure()]);
    expect(ids[0]).toBe(ids[1]);
    const indexes = await retrieval.withTenant(tenant, (transaction) =>
      transaction.query<{ definition: string }>(
        "SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_index JOIN pg_class c ON c.oid = indexrelid JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'hnsw'",
      ),
    );
    expect(indexes).toHaveLength(8);
    expect(indexes[0]?.definition).toContain('halfvec(3)');
  });
});
