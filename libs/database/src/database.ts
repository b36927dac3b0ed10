/** The services that reach the database; each becomes a role that has no more rights than it needs. */
export type DatabaseRole = 'retrieval' | 'ingestion' | 'gateway';

export interface Transaction {
  /**
   * Runs one statement. Rows come back with the same JavaScript types on both back ends: timestamptz as Date, counts as
   * number, uuid as string, bytea as bytes, arrays as arrays, jsonb parsed, vectors as text. Values go in alike, and
   * jsonb as its text, since a plain array would become an array of the database.
   */
  query<Row extends object = Record<string, unknown>>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface TransactionOptions {
  readOnly?: boolean;
  /** Cancels the running statement (on PGlite, the next one), rolls back and rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export type LookupOptions = Pick<TransactionOptions, 'signal'>;

/** The closed list of functions that look across tenants; each returns ids only. */
export type LookupFunction =
  'abandoned_uploads' | 'find_api_token' | 'find_tenant' | 'outstanding_ingestion_jobs' | 'tenants_to_recount';

/** The only way to a connection: inside a transaction, as a role that owns nothing, for one tenant. */
export interface Database {
  /**
   * Commits when the work is done; rolls back and rethrows when it throws or one of its statements failed. A server
   * that is away is a ServiceError `unavailable`, as is one whose disk is full; one that went away during the commit is
   * `outcome_unknown`.
   */
  withTenant<T>(
    tenantId: string,
    work: (transaction: Transaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  lookup<Row extends object>(fn: LookupFunction, values: readonly unknown[], options?: LookupOptions): Promise<Row[]>;
  /** Throws a SchemaError when the schema is older than the code, or when the login has too many rights or too few. */
  assertSchema(): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
