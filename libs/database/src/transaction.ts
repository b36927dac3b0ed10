import { storageFull } from '@lectern/contracts';
import type { DatabaseRole, LookupFunction, Transaction } from './database.js';

/** One connection, lent to one piece of work at a time; both back ends have it. */
export interface Connection {
  /** Runs several statements without parameters. */
  exec(sql: string): Promise<void>;
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** What opens every transaction, in one round trip. The tenant can't be a parameter here, hence the check. */
export function openingStatements(role: DatabaseRole, tenantId: string | undefined, readOnly: boolean): string {
  if (tenantId !== undefined && !uuidPattern.test(tenantId)) throw new Error('a tenant id is a lower-case UUID');
  return [
    `BEGIN${readOnly ? ' READ ONLY' : ''}`,
    `SET LOCAL ROLE lectern_${role}`,
    `SET LOCAL app.tenant_id = '${tenantId ?? ''}'`,
  ].join('; ');
}

/** The call of a lookup function with as many parameters as values. */
export function lookupStatement(fn: LookupFunction, values: readonly unknown[]): string {
  return `SELECT * FROM ${fn}(${values.map((_, index) => `$${index + 1}`).join(', ')})`;
}

/**
 * Commits what the work did, or rolls back and rethrows. A statement that fails dooms the whole transaction, even when
 * the work catches its error: the server would answer COMMIT with a silent rollback.
 */
export async function runTransaction<T>(
  connection: Connection,
  opening: string,
  work: (transaction: Transaction) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  let doom: { error: unknown } | undefined;
  let ended = false;
  const transaction: Transaction = {
    async query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]> {
      // By then the connection may be in another tenant's transaction.
      if (ended) throw new Error('this transaction has ended: its work has not awaited all its queries');
      signal?.throwIfAborted();
      return connection.query<Row>(sql, values).catch((error: unknown) => {
        doom ??= { error };
        throw error;
      });
    },
  };
  try {
    signal?.throwIfAborted();
    await connection.exec(opening);
    const result = await work(transaction);
    signal?.throwIfAborted();
    if (doom) throw doom.error;
    ended = true;
    await connection.exec('COMMIT');
    return result;
  } catch (error) {
    ended = true;
    await connection.exec('ROLLBACK').catch(() => undefined);
    throw signal?.aborted ? signal.reason : isDiskFull(error) ? storageFull(error) : error;
  }
}

/** By the code that both back ends give, for files and for temporary ones. */
function isDiskFull(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === '53100';
}
