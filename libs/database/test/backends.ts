import {
  ensureTenant,
  openPglite,
  withAdmin,
  type Database,
  type DatabaseRole,
  type Transaction,
} from '@lectern/database';
import { hasServers, testPostgres } from '@lectern/testing';
import { describe } from '@jest/globals';

/** What the conformance suite needs of a back end. */
export interface Backend {
  database(role: DatabaseRole): Database;
  asAdmin<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  createTenant(name: string): Promise<string>;
  close(): Promise<void>;
}

async function openBackendOnPostgres(): Promise<Backend> {
  const postgres = await testPostgres();
  return { ...postgres, asAdmin: (work) => withAdmin(postgres.adminUrl, work) };
}

async function openBackendOnPglite(): Promise<Backend> {
  const embedded = await openPglite();
  await embedded.migrate();
  return {
    database: (role) => embedded.forRole(role),
    asAdmin: (work) => embedded.asAdmin(work),
    createTenant: (name) => embedded.asAdmin((transaction) => ensureTenant(transaction, name)),
    close: () => embedded.close(),
  };
}

/** Describes the same behaviour once for each back end. */
export function describeBackends(title: string, suite: (open: () => Promise<Backend>) => void): void {
  const onPostgres = hasServers('postgres') ? describe : describe.skip;
  onPostgres(`${title} on PostgreSQL`, () => suite(openBackendOnPostgres));
  describe(`${title} on PGlite`, () => suite(openBackendOnPglite));
}
