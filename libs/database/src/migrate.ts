import { setTimeout as delay } from 'node:timers/promises';
import { connectAdmin } from './admin.js';
import { migrations } from './migrations/index.js';
import type { Migration } from './migrations/migration.js';
import { readVersion, SchemaError } from './schema-guard.js';
import type { Connection } from './transaction.js';

export interface ServiceLogin {
  /** Role to make or update; a member of the service roles that owns nothing. */
  name: string;
  password?: string | undefined;
}

const serviceRoles = ['lectern_retrieval', 'lectern_ingestion', 'lectern_gateway'] as const;

const prepare = `
  DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'vector') THEN CREATE EXTENSION vector; END IF;
  END $$;
  GRANT USAGE, CREATE ON SCHEMA public TO lectern_owner;
  GRANT USAGE ON SCHEMA public TO ${serviceRoles.join(', ')};
  CREATE TABLE IF NOT EXISTS schema_migrations (
    version int PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
  GRANT SELECT ON schema_migrations TO PUBLIC;
`;

/**
 * Brings a PostgreSQL database to this release's schema and, when asked, makes the login of the services. The only user
 * of the admin login, which need not be a superuser: CREATEROLE and owning the database do, where a superuser has made
 * the extension. Two at once wait for each other. Returns the names of the steps that ran.
 */
export function migrate(options: { adminUrl: string; serviceLogin?: ServiceLogin }): Promise<string[]> {
  return connectAdmin(options.adminUrl, async (connection) => {
    await connection.exec("SELECT pg_advisory_lock(hashtextextended('lectern.migrate', 0))");
    await assertExtension(connection);
    const applied = await applyMigrations(connection);
    if (options.serviceLogin) await grantLogin(connection, options.serviceLogin);
    return applied;
  });
}

/**
 * Runs what has not run yet, each step in a transaction of its own. Returns the names of the steps that ran. Throws a
 * SchemaError when a newer release has been here.
 */
export async function applyMigrations(
  connection: Connection,
  steps: readonly Migration[] = migrations,
): Promise<string[]> {
  const version = await readVersion((sql) => connection.query(sql));
  assertNotNewer(version, steps);
  const outstanding = steps.filter((step) => step.version > version);
  if (outstanding.length === 0) return [];
  for (const role of ['lectern_owner', ...serviceRoles]) await createRole(connection, role, 'NOLOGIN');
  await repeatOnRace(() => connection.exec('GRANT lectern_owner TO CURRENT_USER'));
  await connection.exec(prepare);
  for (const step of outstanding) await apply(connection, step);
  return outstanding.map((step) => step.name);
}

/** Replicas of the last release go on while the next one is rolled out; who comes to migrate is the wrong release. */
function assertNotNewer(version: number, steps: readonly Migration[]): void {
  const newest = steps.at(-1)?.version ?? 0;
  if (version <= newest) return;
  throw new SchemaError(
    `the database is newer than this release: its schema is at version ${version}, and this release knows ${newest}. Use the release that migrated it, or a newer one`,
  );
}

async function apply(connection: Connection, step: Migration): Promise<void> {
  try {
    await connection.exec(`BEGIN; SET LOCAL ROLE lectern_owner; ${step.sql}; RESET ROLE;
      INSERT INTO schema_migrations (version, name) VALUES (${step.version}, '${step.name}'); COMMIT;`);
  } catch (error) {
    await connection.exec('ROLLBACK').catch(() => undefined);
    throw new Error(`migration ${step.version} (${step.name}) failed and was rolled back`, { cause: error });
  }
}

async function assertExtension(connection: Connection): Promise<void> {
  const found = await connection.query("SELECT FROM pg_available_extensions WHERE name = 'vector'");
  if (found.length > 0) return;
  throw new Error(
    'this PostgreSQL server has no extension "vector": install pgvector 0.8 or newer (on Debian: "node scripts/install-pgvector.mjs") and migrate again',
  );
}

async function grantLogin(connection: Connection, login: ServiceLogin): Promise<void> {
  const [quoted] = await connection.query<{ name: string; password: string }>(
    'SELECT quote_ident($1) AS name, quote_literal($2) AS password',
    [login.name, login.password ?? ''],
  );
  if (!quoted) throw new Error('the server answered nothing');
  // NOINHERIT: outside withTenant, where no role is set, the login may read nothing at all.
  await createRole(connection, login.name, 'LOGIN NOINHERIT');
  const password = login.password === undefined ? '' : `ALTER ROLE ${quoted.name} PASSWORD ${quoted.password};`;
  await repeatOnRace(() => connection.exec(`${password} GRANT ${serviceRoles.join(', ')} TO ${quoted.name}`));
}

/** Roles belong to the whole server, so two databases that migrate at once may both make them. */
async function createRole(connection: Connection, name: string, attributes: string): Promise<void> {
  await repeatOnRace(async () => {
    const [role] = await connection.query<{ statement: string; known: boolean }>(
      `SELECT format('CREATE ROLE %I ${attributes}', $1::text) AS statement,
              EXISTS (SELECT FROM pg_roles WHERE rolname = $1::text) AS known`,
      [name],
    );
    if (role && !role.known) await connection.exec(role.statement);
  });
}

// How the server reports that another session is changing the same role: unique_violation, duplicate_object, and
// "tuple concurrently updated", which has no better code than internal_error.
const raceCodes = new Set(['23505', '42710', 'XX000']);

async function repeatOnRace(work: () => Promise<void>, attempts = 10): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !raceCodes.has(String((error as { code?: unknown }).code))) throw error;
      await delay(20 * attempt);
    }
  }
}
