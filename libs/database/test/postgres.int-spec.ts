import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate, openPostgres, provisionDefaultTenant, withAdmin, type Database } from '@lectern/database';
import { eventually, hasServers, startPostgres, testPostgres, type TestPostgres } from '@lectern/testing';

(hasServers('postgres') ? describe : describe.skip)('openPostgres', () => {
  let postgres: TestPostgres;
  let tenant: string;
  // One connection, so that whatever one caller leaves behind meets the next.
  let database: Database;

  beforeAll(async () => {
    postgres = await testPostgres();
    tenant = await postgres.createTenant();
    database = openPostgres({ url: postgres.serviceUrl, role: 'retrieval', poolSize: 1 });
  });
  afterAll(async () => {
    await database.close();
    await postgres.close();
  });

  const sleepers = () =>
    withAdmin(postgres.adminUrl, (transaction) =>
      transaction.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'active' AND query LIKE 'SELECT pg_sleep%'`,
      ),
    );
  const startSleeping = async (signal?: AbortSignal) => {
    const sleeping = database.withTenant(tenant, (transaction) => transaction.query('SELECT pg_sleep(30)'), { signal });
    sleeping.catch(() => undefined);
    const pid = await eventually('the statement runs', async () => (await sleepers())[0]?.pid);
    return { sleeping, pid };
  };

  it('cancels the statement of a caller who is gone, and nobody else’s', async () => {
    const gone = new Error('gone');
    for (let round = 0; round < 5; round += 1) {
      const abort = new AbortController();
      const { sleeping } = await startSleeping(abort.signal);
      abort.abort(gone);
      const next = database.withTenant(tenant, (transaction) =>
        transaction.query('SELECT 1 AS one FROM pg_sleep(0.05)'),
      );
      await expect(sleeping).rejects.toBe(gone);
      await expect(next).resolves.toEqual([{ one: 1 }]);
    }
    expect(await sleepers()).toEqual([]);
  });

  it('lets a caller go who waits for a connection', async () => {
    const holder = new AbortController();
    const { sleeping } = await startSleeping(holder.signal);
    const waiter = new AbortController();
    const waiting = database.withTenant(tenant, async () => 1, { signal: waiter.signal });
    const gone = new Error('gone');
    waiter.abort(gone);
    await expect(waiting).rejects.toBe(gone);
    holder.abort();
    await expect(sleeping).rejects.toThrow();
    await expect(database.ping()).resolves.toBeUndefined();
  });

  it('says that the database went away when its back end is killed, and takes a new one', async () => {
    const { sleeping, pid } = await startSleeping();
    await withAdmin(postgres.adminUrl, (transaction) => transaction.query('SELECT pg_terminate_backend($1)', [pid]));
    await expect(sleeping).rejects.toMatchObject({ name: 'ServiceError', code: 'unavailable' });
    await expect(database.withTenant(tenant, async () => 'again')).resolves.toBe('again');
  });

  it('keeps nothing of a transaction whose connection died between its statements', async () => {
    const ingestion = postgres.database('ingestion');
    const dying = ingestion.withTenant(tenant, async (transaction) => {
      const [row] = await transaction.query<{ pid: number }>(
        "INSERT INTO knowledge_bases (tenant_id, id, name) VALUES ($1, gen_random_uuid(), 'dying') RETURNING pg_backend_pid() AS pid",
        [tenant],
      );
      await withAdmin(postgres.adminUrl, (admin) => admin.query('SELECT pg_terminate_backend($1)', [row?.pid]));
      await transaction.query('SELECT 1');
    });
    await expect(dying).rejects.toMatchObject({ code: 'unavailable' });
    const left = await ingestion.withTenant(tenant, (transaction) =>
      transaction.query("SELECT FROM knowledge_bases WHERE name = 'dying'"),
    );
    expect(left).toEqual([]);
  });

  it('ends a statement at its time limit', async () => {
    const hasty = openPostgres({ url: postgres.serviceUrl, role: 'retrieval', poolSize: 1, statementTimeoutMs: 50 });
    const slow = hasty.withTenant(tenant, (transaction) => transaction.query('SELECT pg_sleep(30)'));
    await expect(slow).rejects.toMatchObject({ code: '57014' });
    await hasty.close();
  });

  it('gives the login no rights outside a transaction of a service', async () => {
    const read = withAdmin(postgres.serviceUrl, (transaction) => transaction.query('SELECT FROM documents'));
    await expect(read).rejects.toThrow(/permission denied/);
    const become = withAdmin(postgres.serviceUrl, (transaction) => transaction.query('SET ROLE lectern_owner'));
    await expect(become).rejects.toThrow(/permission denied/);
  });

  it('refuses a superuser, a login that is no member, and an older schema, and says what to do', async () => {
    const attempt = async (url: string) => {
      const refused = openPostgres({ url, role: 'retrieval', poolSize: 1 });
      await refused.assertSchema().finally(() => refused.close());
    };
    const asAdmin = (sql: string) => withAdmin(postgres.adminUrl, (transaction) => transaction.query(sql));
    await expect(attempt(postgres.adminUrl)).rejects.toThrow(/superuser/);
    const login = new URL(postgres.serviceUrl).username;
    await asAdmin(`REVOKE lectern_retrieval FROM ${login}`);
    await expect(attempt(postgres.serviceUrl)).rejects.toThrow(/no member of lectern_retrieval/);
    await asAdmin(`GRANT lectern_retrieval TO ${login}`);
    await asAdmin('UPDATE schema_migrations SET version = version - 1000');
    await expect(attempt(postgres.serviceUrl)).rejects.toThrow(/npm run migrate/);
    await asAdmin('UPDATE schema_migrations SET version = version + 1000');
    await expect(attempt(postgres.serviceUrl)).resolves.toBeUndefined();
  });

  it('survives a crash of the server', async () => {
    const server = await startPostgres();
    await migrate({ adminUrl: server.url, serviceLogin: { name: 'service' } });
    const { tenantId } = await withAdmin(server.url, provisionDefaultTenant);
    const lasting = openPostgres({ url: server.url.replace('postgres@', 'service@'), role: 'retrieval', poolSize: 2 });
    const work = () => lasting.withTenant(tenantId, (transaction) => transaction.query('SELECT 1 AS one'));
    await expect(work()).resolves.toEqual([{ one: 1 }]);
    await server.stop();
    await expect(work()).rejects.toMatchObject({ code: 'unavailable', retryAfterMs: 1_000 });
    await server.start();
    await expect(work()).resolves.toEqual([{ one: 1 }]);
    await lasting.close();
    await server.close();
  });
});
