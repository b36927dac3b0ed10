import { ServiceError } from '@lectern/contracts';
import pg from 'pg';
import { connectionFault } from './connection-fault.js';
import type { Database, DatabaseRole, LookupFunction, Transaction, TransactionOptions } from './database.js';
import { assertBound, assertMember, assertVersion, SchemaError } from './schema-guard.js';
import { lookupStatement, openingStatements, runTransaction } from './transaction.js';
import { unlessAborted } from './unless-aborted.js';

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
    const opening = openingStatements(this.options.role, tenantId, options.readOnly ?? false);
    return this.transact(opening, work, options.signal);
  }

  lookup<Row extends object>(fn: LookupFunction, values: readonly unknown[]): Promise<Row[]> {
    return this.transact(openingStatements(this.options.role, undefined, true), (transaction) =>
      transaction.query<Row>(lookupStatement(fn, values), values),
    );
  }

  async assertSchema(): Promise<void> {
    await this.ping().catch((error: unknown) => {
      throw new SchemaError(`DATABASE_URL: ${connectionFault(error, this.options.url).message}`, { cause: error });
    });
    const query = async <Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]> =>
      (await this.pool.query<Row & pg.QueryResultRow>(sql, values as unknown[])).rows;
    await assertBound(query);
    await assertVersion(query);
    await assertMember(query, this.options.role);
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
    const client = await this.lease(signal);
    let lost: Error | undefined;
    const onLost = (error: Error): void => void (lost = error);
    client.on('error', onLost);
    let cancelling: Promise<void> | undefined;
    const onAbort = (): void => void (cancelling = this.cancelStatement(client));
    signal?.addEventListener('abort', onAbort, { once: true });
    let committing = false;
    const connection = {
      exec: async (sql: string): Promise<void> => {
        committing ||= sql === 'COMMIT';
        await client.query(sql);
      },
      query: async <Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]> =>
        (await client.query<Row & pg.QueryResultRow>(sql, values as unknown[])).rows,
    };
    try {
      return await runTransaction(connection, opening, work, signal);
    } catch (error) {
      throw lost && !signal?.aborted ? connectionLost(error, committing) : error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      // Else a late cancellation would hit the statement of whoever has the connection next.
      await cancelling;
      client.removeListener('error', onLost);
      client.release(lost);
    }
  }

  private lease(signal: AbortSignal | undefined): Promise<pg.PoolClient> {
    const leasing = this.pool.connect().catch((error: unknown) => {
      throw new ServiceError('unavailable', 'The database does not answer. Try again in a moment.', {
        retryAfterMs: 1_000,
        cause: error,
      });
    });
    return unlessAborted(signal, leasing, (client) => client.release());
  }

  /** Cancels by the back end's process id over a connection of its own: the busy one can't take another statement. */
  private async cancelStatement(client: pg.PoolClient): Promise<void> {
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

/** The server rolls back what was open; only of a COMMIT on its way nobody knows whether it arrived. */
function connectionLost(cause: unknown, committing: boolean): ServiceError {
  return committing
    ? new ServiceError('outcome_unknown', 'The database went away while saving. Look whether the change is there.', {
        cause,
      })
    : new ServiceError('unavailable', 'The database went away. Try again in a moment.', { retryAfterMs: 1_000, cause });
}
