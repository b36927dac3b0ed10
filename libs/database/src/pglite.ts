import type {
  Database,
  DatabaseRole,
  LookupFunction,
  LookupOptions,
  Transaction,
  TransactionOptions,
} from './database.js';
import { applyMigrations } from './migrate.js';
import { PgliteConnection } from './pglite-connection.js';
import { PriorityMutex } from './priority-mutex.js';
import { assertVersion } from './schema-guard.js';
import { lookupStatement, openingStatements, runTransaction } from './transaction.js';

/** The embedded database of one process: one back end, so one transaction at a time. */
export interface EmbeddedDatabase {
  forRole(role: DatabaseRole): Database;
  /** Runs outstanding migrations; returns their names. Throws a SchemaError when a newer release has been here. */
  migrate(): Promise<string[]>;
  /** Runs work of the owner, such as provisioning, in one transaction that sees every tenant. */
  asAdmin<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opens the data folder, or a database in memory without one. No other process may have the folder open. */
export async function openPglite(options: { dataDir?: string } = {}): Promise<EmbeddedDatabase> {
  const connection = await PgliteConnection.start(options.dataDir);
  const mutex = new PriorityMutex();
  return {
    forRole: (role) => new PgliteDatabase(connection, mutex, role),
    migrate: () => mutex.run('interactive', () => applyMigrations(connection)),
    asAdmin: (work) => mutex.run('interactive', () => runTransaction(connection, 'BEGIN', work)),
    close: () => mutex.run('bulk', () => connection.close()),
  };
}

class PgliteDatabase implements Database {
  constructor(
    private readonly connection: PgliteConnection,
    private readonly mutex: PriorityMutex,
    private readonly role: DatabaseRole,
  ) {}

  async withTenant<T>(
    tenantId: string,
    work: (transaction: Transaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    const opening = openingStatements(this.role, tenantId, options.readOnly ?? false);
    return this.mutex.run(this.role === 'ingestion' ? 'bulk' : 'interactive', () =>
      runTransaction(this.connection, opening, work, options.signal),
    );
  }

  lookup<Row extends object>(
    fn: LookupFunction,
    values: readonly unknown[],
    { signal }: LookupOptions = {},
  ): Promise<Row[]> {
    const opening = openingStatements(this.role, undefined, true);
    const read = (transaction: Transaction): Promise<Row[]> =>
      transaction.query<Row>(lookupStatement(fn, values), values);
    return this.mutex.run('interactive', () => runTransaction(this.connection, opening, read, signal));
  }

  assertSchema(): Promise<void> {
    return this.mutex.run('interactive', () => assertVersion((sql) => this.connection.query(sql)));
  }

  async ping(): Promise<void> {
    await this.mutex.run('interactive', () => this.connection.query('SELECT 1'));
  }

  async close(): Promise<void> {
    // The embedded database outlives the services that share it; its owner closes it.
  }
}
