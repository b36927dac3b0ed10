import { Worker } from 'node:worker_threads';
import type { Connection } from './transaction.js';

type Reply = {
  id: number;
  rows?: object[];
  error?: { message: string; name: string; code?: string; constraint?: string };
};
type Waiter = { resolve: (rows: object[]) => void; reject: (error: Error) => void };

/** PGlite in its worker thread. */
export class PgliteConnection implements Connection {
  private readonly waiting = new Map<number, Waiter>();
  private lastId = 0;
  private ended: Error | undefined;

  private constructor(private readonly worker: Worker) {
    worker.on('message', (reply: Reply) => this.settle(reply));
    worker.on('error', (error) => this.end(error as Error));
    worker.on('exit', () => this.end(new Error('the embedded database has ended')));
  }

  static async start(dataDir: string | undefined): Promise<PgliteConnection> {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const worker = new Worker(new URL(`./pglite-worker.${extension}`, import.meta.url), { workerData: { dataDir } });
    const connection = new PgliteConnection(worker);
    // The worker says so under this id when the database is open.
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
