import { randomBytes } from 'node:crypto';
import { ensureTenant, issueToken, migrate, openPostgres, withAdmin } from '@lectern/database';
import type { Database, DatabaseRole, IssuedToken, TokenSpec } from '@lectern/database';
import pg from 'pg';
import { serverUrl } from './servers.js';

export interface AdminSession {
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Rolls back what is open. */
  close(): Promise<void>;
}

/** A database of one test file on a real server: migrated, and dropped at the end with its login. */
export interface TestPostgres {
  readonly adminUrl: string;
  /** Logs in as a role that owns nothing, like a service. */
  readonly serviceUrl: string;
  /** A handle for one service; closed with the fixture. */
  database(role: DatabaseRole): Database;
  /** A connection of the superuser, whom no policy binds; it is its opener's to close. */
  connect(): Promise<AdminSession>;
  createTenant(name?: string): Promise<string>;
  issueToken(tenantId: string, spec: TokenSpec): Promise<IssuedToken>;
  close(): Promise<void>;
}

/** Makes a database of its own for the calling test file, on the runner's server or on one of the test's own. */
export async function testPostgres(server = serverUrl('postgres')): Promise<TestPostgres> {
  const name = `lectern_test_${randomBytes(6).toString('hex')}`;
  const password = randomBytes(16).toString('hex');
  await runOnServer(server, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  const admin = new URL(server);
  admin.pathname = `/${name}`;
  await migrate({ adminUrl: admin.href, serviceLogin: { name, password } });
  const service = new URL(admin);
  service.username = name;
  service.password = password;
  const opened: Database[] = [];
  return {
    adminUrl: admin.href,
    serviceUrl: service.href,
    database(role) {
      const database = openPostgres({ url: service.href, role, poolSize: 4 });
      opened.push(database);
      return database;
    },
    connect: () => connect(admin.href),
    createTenant: (tenantName = `tenant-${randomBytes(4).toString('hex')}`) =>
      withAdmin(admin.href, (transaction) => ensureTenant(transaction, tenantName)),
    issueToken: (tenantId, spec) => withAdmin(admin.href, (transaction) => issueToken(transaction, tenantId, spec)),
    async close() {
      await Promise.all(opened.map((database) => database.close()));
      await runOnServer(
        server,
        `DROP DATABASE ${name} WITH (FORCE)`,
        `DROP ROLE ${name}`,
        `DROP ROLE IF EXISTS lectern_service_${name}`,
      );
    },
  };
}

async function connect(url: string): Promise<AdminSession> {
  const client = new pg.Client({ connectionString: url });
  // The server may be stopped meanwhile; the next query says so.
  client.on('error', () => undefined);
  await client.connect();
  return {
    query: async <Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]> =>
      (await client.query<Row & pg.QueryResultRow>(sql, values as unknown[])).rows,
    close: () => client.end(),
  };
}

async function runOnServer(url: string, ...statements: string[]): Promise<void> {
  const session = await connect(url);
  try {
    for (const statement of statements) await session.query(statement);
  } finally {
    await session.close();
  }
}
