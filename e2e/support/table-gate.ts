import type { TestStack } from './stack.js';

/** Holds back every write to a table, so that a test can find who is about to make one. */
export interface TableGate {
  /** Local ports of the connections of ingestion that wait here. */
  waiting(): Promise<number[]>;
  /** Lets the writes go on. */
  open(): Promise<void>;
}

export async function closeGate({ postgres }: TestStack, table: string): Promise<TableGate> {
  const session = await postgres.connect();
  // Keeps out writers alone: readers and row locks pass.
  await session.query(`BEGIN; LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
  return {
    async waiting() {
      // A transaction sees the activity of the moment when it first looked, without this.
      await session.query('SELECT pg_stat_clear_snapshot()');
      const rows = await session.query<{ port: number }>(
        `SELECT DISTINCT client_port AS port FROM pg_stat_activity JOIN pg_locks USING (pid)
         WHERE datname = current_database() AND application_name = 'lectern-ingestion'
           AND NOT granted AND relation = $1::regclass`,
        [table],
      );
      return rows.map(({ port }) => port);
    },
    open: () => session.close(),
  };
}
