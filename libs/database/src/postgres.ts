import pg from 'pg';
import {
  lookupStatement,
  openingStatements,
  type Database,
  type DatabaseRole,
  type LookupFunction,
  type Transaction,
  type TransactionOptions,
} from './database.js';
import { assertVersion, SchemaError } from './schema-guard.js';

export interface PostgresOptions {
  url: string;
  role: DatabaseRole;
  /** Connections that are kept. Fresh back ends are slow for a while, so they are never closed for being idle. */
  poolSize: number;
  /** Milliseconds after which the server cancels a statement. */
  statementTimeoutMs?: number;
  /** Called when an idle connection breaks; the pool replaces it. */
  onConnectionError?: (error: Error) => void;
}

const int8 = 20;

/** A pool of connections, of which each transaction becomes the service's role for one tenant. */
export function openPostgres(options: PostgresOptions): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: `lectern-${options.role}`,
    options: `-c jit=off -c statement_timeout=${options.statementTimeoutMs ?? 15_000} -c idle_in_transaction_session_timeout=60000`,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
    },
  });
  pool.on('error', (error) => options.onConnectionError?.(error));
  return new PostgresDatabase(pool, options);
}

class PostgresDatabase implements Database {
  constructor(
    private readonly pool: pg.Pool,
    private readonly options: PostgresOptions,
  ) {}

  async withTenant<T>(
    tenantId: string,
    work: (transaction: Transaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    return this.transact(
      openingStatements(this.options.role, tenantId, options.readOnly ?? false),
      work,
      options.signal,
    );
  }

  lookup<Row extends object>(fn: LookupFunction, values: readonly unknown[]): Promise<Row[]> {
    return this.transact(openingStatements(this.options.role, undefined, true), (transaction) =>
      transaction.query<Row>(lookupStatement(fn, values), values),
    );
  }

  async assertSchema(): Promise<void> {
    const login = await this.pool.query<{ unbound: boolean }>(
      'SELECT rolsuper OR rolbypassrls AS unbound FROM pg_roles WHERE rolname = current_user',
    );
    if (login.rows[0]?.unbound !== false) {
      throw new SchemaError(
        'DATABASE_URL logs in as a superuser, for whom row-level security does not hold: use the service login that "npm run migrate" makes',
      );
    }
    const table = await this.pool.query<{ found: string | null }>(
      "SELECT to_regclass('public.schema_migrations')::text AS found",
    );
    if (!table.rows[0]?.found) return assertVersion(undefined);
    const result = await this.pool.query<{ version: number }>('SELECT max(version) AS version FROM schema_migrations');
    assertVersion(result.rows[0]?.version);
  }

  async ping(): Promise<void> {
    await this.pool.query('SELECT 1');
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  private async transact<T>(
    opening: string,
    work: (transaction: Transaction) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    signal?.throwIfAborted();
    const client = await this.pool.connect();
    // A connection that breaks while it is lent out reports here too; its query fails by itself.
    const ignore = (): void => undefined;
    client.on('error', ignore);
    const cancel = (): void => void this.cancel(client);
    signal?.addEventListener('abort', cancel, { once: true });
    let broken: Error | undefined;
    try {
      await client.query(opening);
      const result = await work({
        query: async <Row extends object>(sql: string, values?: readonly unknown[]) => {
          signal?.throwIfAborted();
          const answer = await client.query<Row & pg.QueryResultRow>(sql, values as unknown[]);
          return answer.rows;
        },
      });
      signal?.throwIfAborted();
      await client.query('COMMIT');
      return result;
    } catch (error) {
      broken = await client.query('ROLLBACK').then(
        () => undefined,
        (failure: Error) => failure,
      );
      throw error;
    } finally {
      signal?.removeEventListener('abort', cancel);
      client.removeListener('error', ignore);
      client.release(broken);
    }
  }

  /** Cancels by the back end's process id over a connection of its own: the busy one can't take another statement. */
  private async cancel(client: pg.PoolClient): Promise<void> {
    const processId = (client as unknown as { processID?: number }).processID;
    const canceller = new pg.Client({ connectionString: this.options.url, connectionTimeoutMillis: 2_000 });
    canceller.on('error', () => undefined);
    try {
      await canceller.connect();
      await canceller.query('SELECT pg_cancel_backend($1)', [processId]);
    } catch {
      // The statement then runs until the server's own timeout.
    } finally {
      await canceller.end().catch(() => undefined);
    }
  }
}
