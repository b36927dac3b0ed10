import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate, newId, openPostgres, withAdmin } from '@lectern/database';
import { testPostgres, type TestPostgres } from '@lectern/testing';

describe('the database catalogue', () => {
  let postgres: TestPostgres;
  let tenant: string;

  beforeAll(async () => {
    postgres = await testPostgres();
    tenant = await postgres.createTenant();
    await postgres
      .database('ingestion')
      .withTenant(tenant, (transaction) =>
        transaction.query("SELECT ensure_embedding_space($1, 'fake', 'm', '1', 3, true, 0, 0, 0.5, '', '', 512)", [
          newId(),
        ]),
      );
  });
  afterAll(() => postgres.close());

  const asAdmin = <Row extends object>(sql: string) =>
    withAdmin(postgres.adminUrl, (connection) => connection.query<Row>(sql));

  it('forces row-level security with a tenant policy on every table of a tenant', async () => {
    const tables = await asAdmin<{ name: string; bound: boolean }>(`
      SELECT c.relname AS name, c.relrowsecurity AND c.relforcerowsecurity
        AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'tenant') AS bound
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE a.attname = 'tenant_id' AND c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace`);
    expect(tables.length).toBeGreaterThanOrEqual(11 + 9);
    expect(tables.filter((table) => !table.bound)).toEqual([]);
  });

  it('lets no service role own, bypass or read more than it needs', async () => {
    const roles = await asAdmin<{ rolname: string }>(
      "SELECT rolname FROM pg_roles WHERE rolname LIKE 'lectern\\_%' AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb)",
    );
    expect(roles).toEqual([]);
    const owned = await asAdmin<{ relname: string }>(
      "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r','p') AND relname <> 'schema_migrations' AND pg_get_userbyid(relowner) <> 'lectern_owner'",
    );
    expect(owned).toEqual([]);
    const leaves = await asAdmin<{ readable: boolean }>(
      "SELECT has_table_privilege('lectern_retrieval', oid, 'SELECT') AS readable FROM pg_class WHERE relname LIKE 'chunk_vectors\\_%' AND relkind IN ('r','p')",
    );
    expect(leaves.some((leaf) => leaf.readable)).toBe(false);
  });

  it('refuses services on an older schema or as a superuser, and says what to do', async () => {
    const superuser = openPostgres({ url: postgres.adminUrl, role: 'retrieval', poolSize: 1 });
    await expect(superuser.assertSchema()).rejects.toThrow(/superuser/);
    await superuser.close();
    await asAdmin('UPDATE schema_migrations SET version = version - 1000');
    await expect(postgres.database('retrieval').assertSchema()).rejects.toThrow(/npm run migrate/);
    await asAdmin('UPDATE schema_migrations SET version = version + 1000');
  });

  it('migrates several databases of one server at once', async () => {
    const fresh = await Promise.all([testPostgres(), testPostgres(), testPostgres()]);
    await Promise.all(fresh.map(async (one) => expect(await migrate({ adminUrl: one.adminUrl })).toEqual([])));
    await Promise.all(fresh.map((one) => one.close()));
  });
});
