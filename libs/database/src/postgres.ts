import { ServiceError } from '@lectern/contracts';
import pg from 'pg';
import { connectionFault } from './connection-fault.js';
import type {
  Database,
  DatabaseRole,
  LookupFunction,
  LookupOptions,
  Transaction,
  TransactionOptions,
} from './database.js';
import { discard, PostgresLease, type LeaseOptions } from './postgres-lease.js';
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
const defaultStatementTimeoutMs = 15_000;
/** A connection that was dead before anything began costs its caller nothing but time. */
const attempts = 2;
const readOnlyOpening = 'BEGIN READ ONLY';

/** A pool of connections, of which each transaction becomes the service's role for one tenant. */
export function openPostgres(options: PostgresOptions): Database {
  const { url, role, statementTimeoutMs = defaultStatementTimeoutMs } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.poolSize,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: `lectern-${role}`,
    // A transaction whose service died silently gives up its locks after the last of these.
    options: `-c jit=off -c statement_timeout=${statementTimeoutMs} -c idle_in_transaction_session_timeout=15000`,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
    },
  });
  pool.on('error', (error) => options.onConnectionError?.(error));
  return new PostgresDatabase(pool, { url, role, statementTimeoutMs });
}

class PostgresDatabase implements Database {
  /** When a connection was last given back in order, in milliseconds since the epoch. */
  private readonly heardAt = new WeakMap<pg.PoolClient, number>();
  /** What has not been heard since then is as dead as the connection that did not answer. */
  private silentSince = 0;

  constructor(
    private readonly pool: pg.Pool,
    private readonly options: { url: string; role: DatabaseRole; statementTimeoutMs: number },
  ) {}

  async withTenant<T>(
    tenantId: string,
    work: (transaction: Transaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    const readOnly = options.readOnly ?? false;
    return this.transact(openingStatements(this.options.role, tenantId, readOnly), work, { ...options, readOnly });
  }

  async lookup<Row extends object>(
    fn: LookupFunction,
    values: readonly unknown[],
    { signal }: LookupOptions = {},
  ): Promise<Row[]> {
    const opening = openingStatements(this.options.role, undefined, true);
    return this.transact(opening, (transaction) => transaction.query<Row>(lookupStatement(fn, values), values), {
      readOnly: true,
      signal,
    });
  }

  async assertSchema(): Promise<void> {
    await this.ping().catch((error: unknown) => {
      // What the pool says is for callers of a service, and names no address.
      const fault = connectionFault((error as Error).cause ?? error, this.options.url);
      throw new SchemaError(`DATABASE_URL: ${fault.message}`, { cause: error });
    });
    await this.transact(
      readOnlyOpening,
      async ({ query }) => {
        await assertBound(query);
        await assertVersion(query);
        await assertMember(query, this.options.role);
      },
      { readOnly: true },
    );
  }

  async ping(): Promise<void> {
    await this.transact(readOnlyOpening, async () => undefined, { readOnly: true });
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  private async transact<T>(
    opening: string,
    work: (transaction: Transaction) => Promise<T>,
    { readOnly, signal }: TransactionOptions & { readOnly: boolean },
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const lease = await this.lease({ ...this.options, readOnly, signal });
      try {
        return await runTransaction(lease, opening, work, signal);
      } catch (error) {
        if (!lease.isUntouched || attempt === attempts) throw lease.explain(error);
      } finally {
        // Before the next caller can have it.
        this.heardAt.set(lease.client, Date.now());
        await lease.end();
        this.silentSince = Math.max(this.silentSince, lease.silentSince);
      }
    }
  }

  private async lease(options: LeaseOptions): Promise<PostgresLease> {
    for (;;) {
      const client = await this.connect(options.signal);
      if ((this.heardAt.get(client) ?? Infinity) > this.silentSince) return new PostgresLease(client, options);
      discard(client);
    }
  }

  private connect(signal: AbortSignal | undefined): Promise<pg.PoolClient> {
    const connecting = this.pool.connect().catch((error: unknown) => {
      throw new ServiceError('unavailable', 'The database does not answer. Try again in a moment.', {
        retryAfterMs: 1_000,
        cause: error,
      });
    });
    return unlessAborted(signal, connecting, (client) => client.release());
  }
}
