/** The roles of decisions by service: retrieval may only select. */
export type DatabaseRole = 'retrieval' | 'ingestion' | 'gateway';

export interface Transaction {
  /**
   * Runs one statement. Rows come back with the same JavaScript types on both back ends: timestamptz as Date, counts as
   * number, uuid as string, bytea as bytes, arrays as arrays, vectors as text.
   */
  query<Row extends object = Record<string, unknown>>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface TransactionOptions {
  readOnly?: boolean;
  /** Cancels the running statement and rolls back. */
  signal?: AbortSignal | undefined;
}

/** The closed list of functions that look across tenants; each returns ids only. */
export type LookupFunction = 'find_api_token' | 'outstanding_ingestion_jobs' | 'tenants_to_recount';

/** The only way to a connection: inside a transaction, as a role that owns nothing, for one tenant. */
export interface Database {
  /** Rolls back and rethrows when the work throws. */
  withTenant<T>(
    tenantId: string,
    work: (transaction: Transaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  lookup<Row extends object>(fn: LookupFunction, values: readonly unknown[]): Promise<Row[]>;
  /** Throws when the schema is older than the code, or when the login could step over row-level security. */
  assertSchema(): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
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
