import type { Socket } from 'node:net';
import { ServiceError } from '@lectern/contracts';
import pg from 'pg';
import type { Connection } from './transaction.js';

/** Milliseconds in which a living server answers what is no work: an opening, a rollback, a cancellation. */
export const answerMs = 2_000;

export interface LeaseOptions {
  url: string;
  /** Milliseconds after which the server cancels a statement by itself. */
  statementTimeoutMs: number;
  readOnly: boolean;
  signal: AbortSignal | undefined;
}

/**
 * A connection of the pool, lent to one transaction. One that died without being closed answers nothing for ever, so
 * every statement has a limit here too; past it the connection is destroyed, and its statement fails.
 */
export class PostgresLease implements Connection {
  /** When the statement was sent, in milliseconds since the epoch, that was given up; 0 without one. */
  silentSince = 0;
  private lost: Error | undefined;
  private answered = false;
  private committing = false;
  private askedAt = Date.now();
  private cancelling: Promise<void> | undefined;
  private stopCancelLimit: (() => void) | undefined;

  constructor(
    readonly client: pg.PoolClient,
    private readonly options: LeaseOptions,
  ) {
    client.on('error', this.onLost);
    options.signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  /** Nothing was done on it, since it did not even answer the first statement: the work may have another connection. */
  get isUntouched(): boolean {
    return this.lost !== undefined && !this.answered && !this.options.signal?.aborted;
  }

  async exec(sql: string): Promise<void> {
    const commits = sql === 'COMMIT';
    this.committing ||= commits && !this.options.readOnly;
    await this.within(commits ? this.statementLimitMs : answerMs, () => this.client.query(sql));
  }

  async query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]> {
    const { rows } = await this.within(this.statementLimitMs, () =>
      this.client.query<Row & pg.QueryResultRow>(sql, values as unknown[]),
    );
    return rows;
  }

  /** What a caller is told of a failure: of a lost connection, whether its changes may have been saved. */
  explain(error: unknown): unknown {
    if (!this.lost) return error;
    if (this.committing) {
      const message = 'The database went away while saving. Look whether the change is there.';
      return new ServiceError('outcome_unknown', message, { cause: this.lost });
    }
    if (this.options.signal?.aborted) return error;
    return new ServiceError('unavailable', 'The database went away. Try again in a moment.', {
      retryAfterMs: 1_000,
      cause: this.lost,
    });
  }

  /** Gives the connection back to the pool, or takes it out of there when it is lost. */
  async end(): Promise<void> {
    this.options.signal?.removeEventListener('abort', this.onAbort);
    // Else a late cancellation would hit the statement of whoever has the connection next.
    if (!this.lost) await this.cancelling;
    this.stopCancelLimit?.();
    this.client.removeListener('error', this.onLost);
    this.client.release(this.lost);
  }

  /** Above the server's own limit, whose error says more. */
  private get statementLimitMs(): number {
    return this.options.statementTimeoutMs + answerMs;
  }

  private async within<T>(limitMs: number, statement: () => Promise<T>): Promise<T> {
    this.askedAt = Date.now();
    const stop = afterReading(limitMs, this.giveUp);
    try {
      const result = await statement();
      this.answered = true;
      return result;
    } catch (error) {
      if (!this.lost) this.answered = true;
      throw error;
    } finally {
      stop();
    }
  }

  private readonly onLost = (error: Error): void => {
    this.lost ??= error;
  };

  private readonly onAbort = (): void => {
    this.stopCancelLimit = afterReading(answerMs, this.giveUp);
    this.cancelling = cancelStatement(this.client, this.options.url).catch(this.giveUp);
  };

  /** The statement fails by it, with everything that waits on the connection. */
  private readonly giveUp = (): void => {
    this.silentSince ||= this.askedAt;
    destroySocket(this.client, new Error('the database did not answer in time'));
  };
}

/** Takes a connection that lies idle out of the pool without asking the server, which may not answer. */
export function discard(client: pg.PoolClient): void {
  const reason = new Error('the connection died with another one');
  client.release(reason);
  destroySocket(client, reason);
}

/** Cancels by the back end's process id over a connection of its own: the busy one can't take another statement. */
async function cancelStatement(client: pg.PoolClient, url: string): Promise<void> {
  const processId = (client as unknown as { processID?: number }).processID;
  const canceller = new pg.Client({ connectionString: url });
  canceller.on('error', () => undefined);
  const timer = setTimeout(() => destroySocket(canceller, new Error('no answer to a cancellation')), answerMs);
  try {
    await canceller.connect();
    await canceller.query('SELECT pg_cancel_backend($1)', [processId]);
  } finally {
    await canceller.end().catch(() => undefined);
    clearTimeout(timer);
  }
}

/** Ends a connection at once; `end` would wait for an answer. The driver has no public way. */
function destroySocket(client: pg.ClientBase, reason: Error): void {
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy(reason);
}

/** Acts when the time is up, unless the answer lies in a socket that this process had no time to read. */
function afterReading(milliseconds: number, act: () => void): () => void {
  let reading: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    reading = setImmediate(act);
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(reading);
  };
}
