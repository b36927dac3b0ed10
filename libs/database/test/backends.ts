import { testPostgres } from '@lectern/testing';
import { ensureTenant, openPglite, type Database, type DatabaseRole } from '@lectern/database';

/** What the conformance suite needs of a back end. */
export interface Backend {
  database(role: DatabaseRole): Database;
  createTenant(name: string): Promise<string>;
  close(): Promise<void>;
}

export const backends: Record<string, () => Promise<Backend>> = {
  PostgreSQL: async () => testPostgres(),
  PGlite: async () => {
    const embedded = await openPglite();
    await embedded.migrate();
    return {
      database: (role) => embedded.forRole(role),
      createTenant: (name) => embedded.asAdmin((transaction) => ensureTenant(transaction, name)),
      close: () => embedded.close(),
    };
  },
};
