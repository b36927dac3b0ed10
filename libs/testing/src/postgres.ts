import { randomBytes } from 'node:crypto';
import { ensureTenant, issueToken, migrate, openPostgres, withAdmin } from '@lectern/database';
import type { Database, DatabaseRole, IssuedToken, TokenSpec } from '@lectern/database';

/** A database of one test file on a real server: migrated, and dropped at the end. */
export interface TestPostgres {
  readonly adminUrl: string;
  /** Logs in as a role that owns nothing, like a service. */
  readonly serviceUrl: string;
  /** A handle for one service; closed with the fixture. */
  database(role: DatabaseRole): Database;
  createTenant(name?: string): Promise<string>;
  issueToken(tenantId: string, spec: TokenSpec): Promise<IssuedToken>;
  close(): Promise<void>;
}

const serviceLogin = 'lectern_test_service';

/** Where the tests' server is: TEST_DATABASE_URL, else the one on this machine. */
function serverUrl(): URL {
  return new URL(process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres');
}

/** Makes a database of its own for the calling test file. */
export async function testPostgres(): Promise<TestPostgres> {
  const server = serverUrl();
  const name = `lectern_test_${randomBytes(6).toString('hex')}`;
  await withAdmin(server.href, (connection) => connection.exec(`CREATE DATABASE ${name}`)).catch((error: unknown) => {
    throw new Error('these tests need PostgreSQL on 127.0.0.1:5432 (role postgres) or in TEST_DATABASE_URL', {
      cause: error,
    });
  });
  const adminUrl = withPath(server, name);
  await migrate({ adminUrl: adminUrl.href, serviceLogin: { name: serviceLogin, password: serviceLogin } });
  const serviceUrl = new URL(adminUrl);
  serviceUrl.username = serviceLogin;
  serviceUrl.password = serviceLogin;
  const opened: Database[] = [];
  return {
    adminUrl: adminUrl.href,
    serviceUrl: serviceUrl.href,
    database(role) {
      const database = openPostgres({ url: serviceUrl.href, role, poolSize: 4 });
      opened.push(database);
      return database;
    },
    createTenant: (tenantName = `tenant-${randomBytes(4).toString('hex')}`) =>
      withAdmin(adminUrl.href, (connection) => ensureTenant(connection, tenantName)),
    issueToken: (tenantId, spec) => withAdmin(adminUrl.href, (connection) => issueToken(connection, tenantId, spec)),
    async close() {
      await Promise.all(opened.map((database) => database.close()));
      await withAdmin(server.href, (connection) => connection.exec(`DROP DATABASE ${name} WITH (FORCE)`));
    },
  };
}

function withPath(server: URL, name: string): URL {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url;
}
