import type { Lane } from '@lectern/contracts';
import type { Redis } from 'ioredis';
import type { Completions } from './completions.js';
import { delay, settled, untilReady } from './connection.js';
import { group } from './keys.js';
import { parseEntry, type StreamEntry } from './packet.js';

export interface LaneReaderOptions {
  lane: Lane;
  stream: string;
  consumer: string;
  slots: number;
  /** A connection of its own: it blocks. */
  connection: Redis;
  /** One that never blocks: it ends the last read. */
  commands: Redis;
  /** Replies that are ready when it reads leave with the read. */
  completions: Completions;
  handle: (entry: StreamEntry) => Promise<void>;
  /** An entry without the fields of a request. */
  discard: (entryId: string) => void;
  onError: (error: unknown) => void;
}

const blockMs = 1000;

/** Reads one request stream, never more than there are free slots, so that a busy replica hoards nothing. */
export class LaneReader {
  private readonly stopping = new AbortController();
  private readonly running = new Map<string, Promise<void>>();
  private freed: (() => void) | undefined;
  /** Redis' number of the blocking connection. */
  private connectionId: number | undefined;
  private loop: Promise<void> = Promise.resolve();

  constructor(private readonly options: LaneReaderOptions) {}

  async start(): Promise<void> {
    this.options.connection.on('ready', () => void this.identify());
    await this.options.connection.connect();
    this.loop = this.read();
  }

  get free(): number {
    return this.options.slots - this.running.size;
  }

  /** Ids of the entries that run now. */
  get runningIds(): string[] {
    return [...this.running.keys()];
  }

  /** Runs an entry in a slot. The same entry never runs twice at once. */
  run(entry: StreamEntry): void {
    if (this.running.has(entry.id)) return;
    const work = this.options.handle(entry).finally(() => {
      this.running.delete(entry.id);
      this.freed?.();
    });
    this.running.set(entry.id, work);
  }

  /**
   * Stops reading, then waits for what runs, at most until the signal aborts. Redis is asked to end the last read, whose
   * connection is not cut: requests may be on their way in it.
   */
  async close(signal: AbortSignal): Promise<void> {
    this.stopping.abort();
    this.freed?.();
    const graceOver = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    this.unblock();
    await Promise.race([this.loop, graceOver]);
    this.options.connection.disconnect();
    await this.loop;
    await Promise.race([Promise.allSettled(this.running.values()), graceOver]);
  }

  private async identify(): Promise<void> {
    this.connectionId = await this.options.connection.client('ID').catch(() => undefined);
  }

  private unblock(): void {
    if (this.connectionId === undefined) return;
    this.options.commands.client('UNBLOCK', this.connectionId).catch(() => undefined);
  }

  private async read(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      if (this.free <= 0) {
        await new Promise<void>((resolve) => {
          this.freed = resolve;
        });
        continue;
      }
      try {
        await untilReady(this.options.connection, signal);
        if (signal.aborted) return;
        await this.readOnce();
      } catch (error) {
        if (signal.aborted) return;
        this.options.onError(error);
        await delay(100, signal);
      }
    }
  }

  private async readOnce(): Promise<void> {
    const { connection, stream, consumer, completions } = this.options;
    const limits = ['COUNT', this.free, 'BLOCK', blockMs] as const;
    const answer = (await completions.sendWith(connection, () =>
      connection.xreadgroupBuffer('GROUP', group, consumer, ...limits, 'STREAMS', stream, '>'),
    )) as [Buffer, [Buffer, Buffer[] | null][]][] | null;
    if (!answer) return;
    for (const raw of answer[0]?.[1] ?? []) {
      const entry = parseEntry(raw);
      if (entry) this.run(entry);
      else this.options.discard(raw[0].toString());
    }
    await settled();
  }
}
