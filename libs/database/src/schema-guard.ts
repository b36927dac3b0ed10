import type { DatabaseRole } from './database.js';
import { schemaVersion } from './migrations/index.js';
import type { Connection } from './transaction.js';

/** The database is not in a state in which a service may work; the message says what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

type Query = Connection['query'];

/** The number of the last migration that has run; 0 in an empty database. */
export async function readVersion(query: Query): Promise<number> {
  const [table] = await query<{ found: boolean }>(
    "SELECT to_regclass('public.schema_migrations') IS NOT NULL AS found",
  );
  if (!table?.found) return 0;
  const [row] = await query<{ version: number | null }>('SELECT max(version) AS version FROM public.schema_migrations');
  return row?.version ?? 0;
}

/** Throws unless every migration that this code knows has run. A newer schema is fine: migrations only add first. */
export async function assertVersion(query: Query): Promise<void> {
  const version = await readVersion(query);
  if (version >= schemaVersion) return;
  throw new SchemaError(
    `the database schema is at version ${version} and this release needs ${schemaVersion}: run "npm run migrate"`,
  );
}

/** Throws when row-level security would not hold for the login. */
export async function assertBound(query: Query): Promise<void> {
  const [login] = await query<{ unbound: boolean }>(
    'SELECT rolsuper OR rolbypassrls AS unbound FROM pg_roles WHERE rolname = current_user',
  );
  if (login?.unbound === false) return;
  throw new SchemaError(
    'DATABASE_URL logs in as a superuser, for whom row-level security does not hold: use the service login that "npm run migrate" makes',
  );
}

/** Throws when the login can't become the service's role. */
export async function assertMember(query: Query, role: DatabaseRole): Promise<void> {
  const [login] = await query<{ member: boolean | null }>(
    "SELECT bool_or(pg_has_role(current_user, oid, 'MEMBER')) AS member FROM pg_roles WHERE rolname = $1",
    [`lectern_${role}`],
  );
  if (login?.member) return;
  throw new SchemaError(
    `DATABASE_URL logs in as a role that is no member of lectern_${role}: use the service login that "npm run migrate" makes`,
  );
}
