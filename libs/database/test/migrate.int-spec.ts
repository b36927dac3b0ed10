import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate, openPostgres, withAdmin } from '@lectern/database';
import { hasServers, startPostgres, type OwnPostgres } from '@lectern/testing';
import pg from 'pg';
import { connectAdmin } from '../src/admin.js';
import { applyMigrations } from '../src/migrate.js';
import { migrations } from '../src/migrations/index.js';

(hasServers('postgres') ? describe : describe.skip)('migrate', () => {
  // Its own server, on which the roles are still missing.
  let server: OwnPostgres;

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  const createDatabase = async (name: string, owner = 'postgres') => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(`CREATE DATABASE ${name} OWNER ${owner}`);
    await client.end();
    return urlOf(name, owner);
  };
  const urlOf = (name: string, login: string) => {
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    url.username = login;
    return url.href;
  };

  it('makes the roles of the server once when several databases migrate at once, each of them twice', async () => {
    const urls = await Promise.all(['one', 'two', 'three'].map((name) => createDatabase(name)));
    const serviceLogin = { name: "se'rvice", password: "pass'word" };
    const applied = await Promise.all([...urls, ...urls].map((adminUrl) => migrate({ adminUrl, serviceLogin })));
    const names = migrations.map((step) => step.name);
    for (const [index] of urls.entries()) {
      expect([...applied[index]!, ...applied[index + urls.length]!]).toEqual(names);
    }
  });

  it('needs no superuser', async () => {
    await withAdmin(server.url, (transaction) => transaction.query('CREATE ROLE deployer LOGIN CREATEROLE'));
    const adminUrl = await createDatabase('managed', 'deployer');
    // What a superuser does beforehand: the extension, and here the roles that the superuser of the test above has made.
    await withAdmin(urlOf('managed', 'postgres'), async (transaction) => {
      await transaction.query('CREATE EXTENSION vector');
      await transaction.query('GRANT lectern_owner TO deployer WITH ADMIN OPTION');
    });
    await migrate({ adminUrl, serviceLogin: { name: 'managed_service' } });
    const database = openPostgres({ url: urlOf('managed', 'managed_service'), role: 'gateway', poolSize: 1 });
    await expect(database.assertSchema()).resolves.toBeUndefined();
    await database.close();
  });

  it('leaves nothing of a step that fails, and goes on from there', async () => {
    const adminUrl = await createDatabase('broken');
    const next = { version: migrations.length + 1, reason: 'A test.' };
    const broken = { ...next, name: 'break', sql: 'CREATE TABLE half (id int); SELECT 1/0' };
    await connectAdmin(adminUrl, async (connection) => {
      await expect(applyMigrations(connection, [...migrations, broken])).rejects.toThrow(/\(break\).*rolled back/);
      const tables = await connection.query("SELECT to_regclass('half') AS half");
      expect(tables).toEqual([{ half: null }]);
      const mended = { ...next, name: 'mend', sql: 'CREATE TABLE half (id int)' };
      await expect(applyMigrations(connection, [...migrations, mended])).resolves.toEqual(['mend']);
    });
  });

  it('refuses a database that a newer release has migrated, on which replicas of this one go on', async () => {
    const adminUrl = await createDatabase('newer');
    const serviceLogin = { name: 'last_release' };
    await migrate({ adminUrl, serviceLogin });
    const next = { version: migrations.length + 1, name: 'add', reason: 'A test.', sql: 'CREATE TABLE added (id int)' };
    await connectAdmin(adminUrl, (connection) => applyMigrations(connection, [...migrations, next]));
    await expect(migrate({ adminUrl, serviceLogin })).rejects.toThrow(/newer than this release.*Use the release that/);
    const replica = openPostgres({ url: urlOf('newer', 'last_release'), role: 'gateway', poolSize: 1 });
    await expect(replica.assertSchema()).resolves.toBeUndefined();
    await replica.close();
  });
});
