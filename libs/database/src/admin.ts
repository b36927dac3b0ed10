import pg from 'pg';
import { connectionFault } from './connection-fault.js';
import type { Transaction } from './database.js';
import { runTransaction, type Connection } from './transaction.js';

/** Opens the admin login for as long as the work takes. Rejects with a DatabaseConnectionError when it can't. */
export async function connectAdmin<T>(adminUrl: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 5_000 });
  // A connection that breaks reports here too; its query fails by itself.
  client.on('error', () => undefined);
  await client.connect().catch((error: unknown) => {
    throw connectionFault(error, adminUrl);
  });
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

/** Runs work of the owner, such as provisioning, in one transaction that sees every tenant. */
export function withAdmin<T>(adminUrl: string, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return connectAdmin(adminUrl, (connection) => runTransaction(connection, 'BEGIN', work));
}
