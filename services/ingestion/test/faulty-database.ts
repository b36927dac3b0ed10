import type { Database } from '@lectern/database';

/** A database that one process of a test loses: what it began is not committed any more, or waits. */
export class FaultyDatabase implements Database {
  /** Transactions that were committed. */
  committed = 0;
  /** The process dies right after the commit of this number. */
  diesAfter = Number.POSITIVE_INFINITY;
  /** While set, transactions wait for it before they begin. */
  paused: Promise<void> | undefined;

  constructor(private readonly database: Database) {}

  private get isDead(): boolean {
    return this.committed >= this.diesAfter;
  }

  async withTenant<T>(...parameters: Parameters<Database['withTenant']>): Promise<T> {
    await this.paused;
    if (this.isDead) throw new Error('the process has died');
    const result = await this.database.withTenant(...parameters);
    this.committed += 1;
    if (this.isDead) throw new Error('the process has died');
    return result as T;
  }

  lookup<Row extends object>(...parameters: Parameters<Database['lookup']>): Promise<Row[]> {
    return this.database.lookup<Row>(...parameters);
  }

  assertSchema(): Promise<void> {
    return this.database.assertSchema();
  }

  ping(): Promise<void> {
    return this.database.ping();
  }

  async close(): Promise<void> {
    // The database is the fixture's.
  }
}
