import { Worker } from 'node:worker_threads';
import {
  lookupStatement,
  openingStatements,
  type Database,
  type DatabaseRole,
  type LookupFunction,
  type Transaction,
  type TransactionOptions,
} from './database.js';
import { applyMigrations, type MigrationConnection } from './migrate.js';
import { PriorityMutex } from './priority-mutex.js';
import { assertVersion } from './schema-guard.js';

/** The embedded database of one process: one back end, so one transaction at a time. */
export interface EmbeddedDatabase {
  forRole(role: DatabaseRole): Database;
  /** Runs outstanding migrations; returns their names. */
  migrate(): Promise<string[]>;
  /** Work of the owner: provisioning. */
  asAdmin<T>(work: (connection: MigrationConnection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opens the data folder, or a database in memory without one. No other process may have the folder open. */
export async function openPglite(options: { dataDir?: string } = {}): Promise<EmbeddedDatabase> {
  const connection = await WorkerConnection.start(options.dataDir);
  const mutex = new PriorityMutex();
  return {
    forRole: (role) => new PgliteDatabase(connection, mutex, role),
    migrate: () => mutex.run('interactive', () => applyMigrations(connection)),
    asAdmin: (work) => mutex.run('interactive', () => work(connection)),
    close: () => mutex.run('bulk', () => connection.close()),
  };
}

class PgliteDatabase implements Database {
  constructor(
    private readonly connection: WorkerConnection,
    private readonly mutex: PriorityMutex,
    private readonly role: DatabaseRole,
  ) {}

  async withTenant<T>(
    tenantId: string,
    work: (transaction: Transaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    return this.transact(openingStatements(this.role, tenantId, options.readOnly ?? false), work, options.signal);
  }

  lookup<Row extends object>(fn: LookupFunction, values: readonly unknown[]): Promise<Row[]> {
    return this.transact(openingStatements(this.role, undefined, true), (transaction) =>
      transaction.query<Row>(lookupStatement(fn, values), values),
    );
  }

  assertSchema(): Promise<void> {
    return this.mutex.run('interactive', async () => {
      const [row] = await this.connection.query<{ version: number }>(
        'SELECT max(version) AS version FROM schema_migrations',
      );
      assertVersion(row?.version);
    });
  }

  async ping(): Promise<void> {
    await this.mutex.run('interactive', () => this.connection.query('SELECT 1 AS one'));
  }

  async close(): Promise<void> {
    // The embedded database outlives the services that share it; its owner closes it.
  }

  /** A statement can't be cancelled here, so an abort shows between statements. */
  private transact<T>(
    opening: string,
    work: (transaction: Transaction) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.mutex.run(this.role === 'ingestion' ? 'bulk' : 'interactive', async () => {
      signal?.throwIfAborted();
      await this.connection.exec(opening);
      try {
        const result = await work({
          query: <Row extends object>(sql: string, values?: readonly unknown[]) => {
            signal?.throwIfAborted();
            return this.connection.query<Row>(sql, values);
          },
        });
        signal?.throwIfAborted();
        await this.connection.exec('COMMIT');
        return result;
      } catch (error) {
        await this.connection.exec('ROLLBACK');
        throw error;
      }
    });
  }
}

type Reply = { id: number; rows?: object[]; error?: { message: string; code?: string; name: string } };

class WorkerConnection implements MigrationConnection {
  private readonly waiting = new Map<number, { resolve: (rows: object[]) => void; reject: (error: Error) => void }>();
  private lastId = 0;
  private ended: Error | undefined;

  private constructor(private readonly worker: Worker) {
    worker.on('message', (reply: Reply) => this.settle(reply));
    worker.on('error', (error) => this.end(error as Error));
    worker.on('exit', () => this.end(new Error('the embedded database has ended')));
  }

  static async start(dataDir: string | undefined): Promise<WorkerConnection> {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const worker = new Worker(new URL(`./pglite-worker.${extension}`, import.meta.url), { workerData: { dataDir } });
    const connection = new WorkerConnection(worker);
    await new Promise<object[]>((resolve, reject) => connection.waiting.set(0, { resolve, reject }));
    return connection;
  }

  async exec(sql: string): Promise<void> {
    await this.send('exec', sql, []);
  }

  query<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.send('query', sql, values) as Promise<Row[]>;
  }

  async close(): Promise<void> {
    if (this.ended) return;
    await this.send('close', '', []);
    await this.worker.terminate();
  }

  private send(kind: 'exec' | 'query' | 'close', sql: string, values: readonly unknown[]): Promise<object[]> {
    if (this.ended) return Promise.reject(this.ended);
    this.lastId += 1;
    const id = this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, kind, sql, values });
    });
  }

  private settle(reply: Reply): void {
    const waiter = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    if (reply.error) waiter?.reject(Object.assign(new Error(reply.error.message), reply.error));
    else waiter?.resolve(reply.rows ?? []);
  }

  private end(error: Error): void {
    this.ended ??= error;
    for (const waiter of this.waiting.values()) waiter.reject(this.ended);
    this.waiting.clear();
  }
}
