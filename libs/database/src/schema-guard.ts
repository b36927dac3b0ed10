import { schemaVersion } from './migrations/index.js';

/** The database is not in a state in which a service may work; the message says what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** Throws unless every migration that this code knows has run. A newer schema is fine: migrations only add first. */
export function assertVersion(found: number | undefined): void {
  if (found !== undefined && found >= schemaVersion) return;
  throw new SchemaError(
    `the database schema is at version ${found ?? 0} and this release needs ${schemaVersion}: run "npm run migrate"`,
  );
}
