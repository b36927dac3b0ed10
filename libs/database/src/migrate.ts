import pg from 'pg';
import { migrations } from './migrations/index.js';
import type { Migration } from './migrations/migration.js';

/** What the migrator needs of a connection; both back ends have it. */
export interface MigrationConnection {
  /** Runs several statements. */
  exec(sql: string): Promise<void>;
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface ServiceLogin {
  /** Role to make or update; a member of the service roles that owns nothing. */
  name: string;
  password?: string | undefined;
}

/** Roles belong to the whole server, so two databases that migrate at once may both make them. */
const createRoles = ['lectern_owner', 'lectern_retrieval', 'lectern_ingestion', 'lectern_gateway']
  .map(
    (role) => `DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE ${role} NOLOGIN; END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;`,
  )
  .join('\n');

const prepare = `
  DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'vector') THEN CREATE EXTENSION vector; END IF;
  END $$;
  GRANT USAGE, CREATE ON SCHEMA public TO lectern_owner;
  GRANT USAGE ON SCHEMA public TO lectern_retrieval, lectern_ingestion, lectern_gateway;
  CREATE TABLE IF NOT EXISTS schema_migrations (
    version int PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
  GRANT SELECT ON schema_migrations TO PUBLIC;
`;

/** Runs what has not run yet, each step in a transaction of its own. Returns the names of the steps that ran. */
export async function applyMigrations(
  connection: MigrationConnection,
  steps: readonly Migration[] = migrations,
): Promise<string[]> {
  await repeatOnRace(() => connection.exec(createRoles));
  await repeatOnRace(() => connection.exec('GRANT lectern_owner TO CURRENT_USER'));
  await connection.exec(prepare);
  const [row] = await connection.query<{ version: number }>(
    'SELECT coalesce(max(version), 0) AS version FROM schema_migrations',
  );
  const outstanding = steps.filter((step) => step.version > (row?.version ?? 0));
  for (const step of outstanding) {
    try {
      await connection.exec(`BEGIN; SET LOCAL ROLE lectern_owner; ${step.sql}; RESET ROLE;
        INSERT INTO schema_migrations (version, name) VALUES (${step.version}, '${step.name}'); COMMIT;`);
    } catch (error) {
      await connection.exec('ROLLBACK');
      throw new Error(`migration ${step.version} (${step.name}) failed and was rolled back`, { cause: error });
    }
  }
  return outstanding.map((step) => step.name);
}

/**
 * Brings a PostgreSQL database to this release's schema and, when asked, makes the login of the services. The only user
 * of the admin login. Two at once wait for each other.
 */
export async function migrate(options: { adminUrl: string; serviceLogin?: ServiceLogin }): Promise<string[]> {
  return withAdmin(options.adminUrl, async (connection) => {
    await connection.exec("SELECT pg_advisory_lock(hashtextextended('lectern.migrate', 0))");
    await assertExtension(connection);
    const applied = await applyMigrations(connection);
    if (options.serviceLogin) await grantLogin(connection, options.serviceLogin);
    return applied;
  });
}

/** Opens the admin login for one piece of work. */
export async function withAdmin<T>(
  adminUrl: string,
  work: (connection: MigrationConnection) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work({
      exec: async (sql) => void (await client.query(sql)),
      query: async <Row extends object>(sql: string, values?: readonly unknown[]) =>
        (await client.query(sql, values as unknown[])).rows as Row[],
    });
  } finally {
    await client.end();
  }
}

async function assertExtension(connection: MigrationConnection): Promise<void> {
  const found = await connection.query("SELECT 1 AS found FROM pg_available_extensions WHERE name = 'vector'");
  if (found.length === 0) {
    throw new Error(
      'this PostgreSQL server has no extension "vector": install pgvector 0.8 or newer (on Debian: "node scripts/install-pgvector.mjs") and migrate again',
    );
  }
}

async function grantLogin(connection: MigrationConnection, login: ServiceLogin): Promise<void> {
  const [quoted] = await connection.query<{ name: string; password: string }>(
    'SELECT quote_ident($1) AS name, quote_literal($2) AS password',
    [login.name, login.password ?? ''],
  );
  if (!quoted) throw new Error('the server answered nothing');
  await repeatOnRace(() =>
    connection.exec(`DO $do$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${`'${login.name.replaceAll("'", "''")}'`}) THEN
        CREATE ROLE ${quoted.name} LOGIN NOINHERIT;
      END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $do$`),
  );
  const password = login.password === undefined ? '' : `ALTER ROLE ${quoted.name} PASSWORD ${quoted.password};`;
  await repeatOnRace(() =>
    connection.exec(`${password} GRANT lectern_retrieval, lectern_ingestion, lectern_gateway TO ${quoted.name}`),
  );
}

/** Repeats what fails only because another database of the server changes the same role at this moment. */
async function repeatOnRace(work: () => Promise<void>, attempts = 10): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      // The server reports this race as "tuple concurrently updated" (XX000) or as a duplicate key (23505).
      if (attempt === attempts || !['XX000', '23505'].includes((error as { code?: string }).code ?? '')) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20 * attempt));
    }
  }
}
