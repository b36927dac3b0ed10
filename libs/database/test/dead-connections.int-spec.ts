import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openPostgres, type Database } from '@lectern/database';
import { hasServers, openLink, testPostgres, type Link, type TestPostgres } from '@lectern/testing';

const poolSize = 2;

(hasServers('postgres') ? describe : describe.skip)('openPostgres over a link that dies silently', () => {
  let postgres: TestPostgres;
  let tenant: string;
  let link: Link;
  const opened: Database[] = [];

  beforeAll(async () => {
    postgres = await testPostgres();
    tenant = await postgres.createTenant();
  });
  afterAll(() => postgres.close());
  beforeEach(async () => {
    link = await openLink(postgres.serviceUrl);
  });
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close();
    await link.close();
  });

  async function openFilled(statementTimeoutMs = 15_000): Promise<Database> {
    const database = openPostgres({ url: link.url, role: 'ingestion', poolSize, statementTimeoutMs });
    opened.push(database);
    await Promise.all(Array.from({ length: poolSize }, () => sleep(database, 0.1)));
    return database;
  }
  const sleep = (database: Database, seconds: number, signal?: AbortSignal) =>
    database.withTenant(tenant, (transaction) => transaction.query('SELECT pg_sleep($1)', [seconds]), { signal });
  const expectRecovered = async (database: Database) => {
    await expect(Promise.all([sleep(database, 0), sleep(database, 0)])).resolves.toHaveLength(2);
    await expect(database.ping()).resolves.toBeUndefined();
  };

  it('gives callers new connections in place of the dead ones that lay idle', async () => {
    const database = await openFilled();
    link.silence();
    const calls = [
      sleep(database, 0),
      database.lookup('outstanding_ingestion_jobs', [new Date(), 1]),
      database.ping(),
      sleep(database, 0),
    ];
    expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(calls.map(() => 'fulfilled'));
  });

  it('lets a caller go at its deadline, and the connection soon after', async () => {
    const database = await openFilled();
    const signal = AbortSignal.timeout(1_000);
    const calls = Array.from({ length: poolSize }, () => sleep(database, 0.5, signal));
    setTimeout(() => link.silence(), 100);
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: 'rejected', reason: { name: 'TimeoutError' } });
    }
    await expectRecovered(database);
  });

  it('ends a statement that nobody bounds a little after the server would have', async () => {
    const database = await openFilled(300);
    const calls = Array.from({ length: poolSize }, () => sleep(database, 0.2));
    setTimeout(() => link.silence(), 100);
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: 'rejected', reason: { name: 'ServiceError', code: 'unavailable' } });
    }
    await expectRecovered(database);
  });

  it('says that it does not know whether a commit arrived', async () => {
    const database = await openFilled(300);
    let runs = 0;
    const saving = database.withTenant(tenant, async (transaction) => {
      runs += 1;
      await transaction.query(
        "INSERT INTO knowledge_bases (tenant_id, id, name) VALUES ($1, gen_random_uuid(), 'base')",
        [tenant],
      );
      link.silence();
    });
    await expect(saving).rejects.toMatchObject({ name: 'ServiceError', code: 'outcome_unknown' });
    expect(runs).toBe(1);
    await expectRecovered(database);
  });

  it('says that the database does not answer while dead statements hold every connection', async () => {
    const database = await openFilled();
    const stop = new AbortController();
    const calls = Array.from({ length: poolSize }, () => sleep(database, 0.5, stop.signal));
    setTimeout(() => link.silence(), 100);
    await expect(database.ping()).rejects.toMatchObject({ name: 'ServiceError', code: 'unavailable' });
    stop.abort();
    await Promise.allSettled(calls);
    await expectRecovered(database);
  });
});
