import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withAdmin } from '@lectern/database';
import { hasServers, testPostgres, type TestPostgres } from '@lectern/testing';
import { seedDocument } from './seed.js';

/** What each role may do with each table; nothing else. */
const grants = {
  lectern_retrieval: {
    SELECT: [
      'chunk_vectors',
      'chunks',
      'document_texts',
      'documents',
      'embedding_spaces',
      'ingestion_jobs',
      'knowledge_base_spaces',
      'knowledge_bases',
      'lexical_terms',
      'lexical_totals',
    ],
  },
  lectern_ingestion: {
    SELECT: [
      'chunk_vectors',
      'chunks',
      'document_texts',
      'documents',
      'embedding_spaces',
      'idempotency_keys',
      'ingestion_jobs',
      'knowledge_base_spaces',
      'knowledge_bases',
      'lexical_terms',
      'lexical_totals',
      'uploads',
    ],
  },
  lectern_gateway: { SELECT: ['api_tokens'] },
};
const written = grants.lectern_ingestion.SELECT.filter((table) => table !== 'embedding_spaces');

(hasServers('postgres') ? describe : describe.skip)('the database catalogue', () => {
  let postgres: TestPostgres;
  let tenant: string;
  let other: string;

  beforeAll(async () => {
    postgres = await testPostgres();
    tenant = await postgres.createTenant();
    other = await postgres.createTenant();
    await seedDocument(postgres.database('ingestion'), tenant);
    await postgres.issueToken(tenant, { name: 'a', subject: 'a', scopes: ['kb:read'] });
  });
  afterAll(() => postgres.close());

  const asAdmin = <Row extends object>(sql: string) =>
    withAdmin(postgres.adminUrl, (transaction) => transaction.query<Row>(sql));
  const tenantTables = `
    SELECT c.oid, c.relname, c.relispartition, c.relrowsecurity, c.relforcerowsecurity
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE a.attname = 'tenant_id' AND c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace`;

  it('forces row-level security with a tenant policy on every table of a tenant', async () => {
    const tables = await asAdmin<{ name: string; partition: boolean; bound: boolean }>(`
      SELECT t.relname AS name, t.relispartition AS partition, t.relrowsecurity AND t.relforcerowsecurity AND EXISTS (
        SELECT FROM pg_policy p WHERE p.polrelid = t.oid AND p.polname = 'tenant' AND p.polcmd = '*'
          AND p.polroles = '{0}' AND pg_get_expr(p.polqual, p.polrelid) LIKE '(tenant_id = %app.tenant_id%') AS bound
      FROM (${tenantTables}) t`);
    const names = tables.filter((table) => !table.partition).map((table) => table.name);
    expect(names.toSorted()).toEqual([...written, ...grants.lectern_gateway.SELECT].toSorted());
    // An embedding space has tables of its own, which are as bound as the others.
    expect(tables.some((table) => table.partition)).toBe(true);
    expect(tables.filter((table) => !table.bound)).toEqual([]);
  });

  it('counts no row of another tenant in any table, and all of its own', async () => {
    const tables = await asAdmin<{ relname: string }>(
      `SELECT relname FROM (${tenantTables}) t WHERE NOT relispartition`,
    );
    for (const { relname } of tables) {
      const database = postgres.database(relname === 'api_tokens' ? 'gateway' : 'ingestion');
      const count = (owner: string) =>
        database.withTenant(owner, async (transaction) => {
          const [row] = await transaction.query<{ count: number }>(`SELECT count(*) AS count FROM ${relname}`);
          return row?.count ?? 0;
        });
      expect([relname, await count(other)]).toEqual([relname, 0]);
      expect([relname, (await count(tenant)) > 0]).toEqual([relname, true]);
    }
  });

  it('grants a service what it needs and no more', async () => {
    const found = await asAdmin<{ role: string; privilege: string; tables: string[] }>(`
      SELECT grantee AS role, privilege_type AS privilege, array_agg(table_name::text ORDER BY table_name::text) AS tables
      FROM information_schema.role_table_grants
      WHERE grantee LIKE 'lectern\\_%' AND grantee <> 'lectern_owner' AND table_schema = 'public'
      GROUP BY grantee, privilege_type`);
    const granted = Object.fromEntries(found.map(({ role, privilege, tables }) => [`${role} ${privilege}`, tables]));
    expect(granted).toEqual({
      'lectern_retrieval SELECT': grants.lectern_retrieval.SELECT,
      'lectern_ingestion SELECT': grants.lectern_ingestion.SELECT,
      'lectern_ingestion INSERT': written,
      'lectern_ingestion UPDATE': written.filter((table) => table !== 'uploads'),
      'lectern_ingestion DELETE': written,
      'lectern_gateway SELECT': grants.lectern_gateway.SELECT,
      'lectern_gateway INSERT': grants.lectern_gateway.SELECT,
    });
    const columns = await asAdmin<{ column: string }>(`
      SELECT column_name::text AS column FROM information_schema.column_privileges
      WHERE grantee = 'lectern_gateway' AND privilege_type = 'UPDATE' ORDER BY 1`);
    expect(columns.map(({ column }) => column)).toEqual(['last_used_at', 'revoked_at']);
  });

  it('lets no service role bypass row-level security, and only the owner own', async () => {
    const strong = await asAdmin(`
      SELECT rolname FROM pg_roles
      WHERE rolname LIKE 'lectern\\_%' AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb)`);
    expect(strong).toEqual([]);
    const foreign = await asAdmin(`
      SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
        AND relname <> 'schema_migrations' AND pg_get_userbyid(relowner) <> 'lectern_owner'`);
    expect(foreign).toEqual([]);
  });

  it('pins the search path of every definer function and lets only services call it', async () => {
    const functions = await asAdmin<{ name: string; pinned: boolean; open: boolean; owner: string }>(`
      SELECT proname AS name, coalesce('search_path=public, pg_temp' = ANY (proconfig), false) AS pinned,
        has_function_privilege('public', oid, 'EXECUTE') AS open, pg_get_userbyid(proowner) AS owner
      FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace`);
    expect(functions.length).toBeGreaterThan(4);
    expect(functions.filter(({ pinned, open, owner }) => !pinned || open || owner !== 'lectern_owner')).toEqual([]);
  });
});
