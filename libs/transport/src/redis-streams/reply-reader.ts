import type { Logger, Metrics } from '@lectern/telemetry';
import type { Redis } from 'ioredis';
import type { Reply } from '../channel.js';
import { delay, settled, untilReady } from './connection.js';
import type { Enqueuer } from './enqueue.js';
import { parseEntry, replyHeadersSchema, type StreamEntry } from './packet.js';
import type { Signer } from './signer.js';

export interface ReplyReaderOptions {
  /** A connection of its own: it blocks. */
  connection: Redis;
  /** One that never blocks: it trims what was read. */
  commands: Redis;
  /** Key of the stream. */
  stream: string;
  signer: Signer;
  logger: Logger;
  metrics: Metrics;
  /** What callers have asked when it reads leaves with the read. */
  enqueuer: Enqueuer;
  /** False when nobody waits for it. */
  onReply: (requestId: string, reply: Reply) => boolean;
  /** Called after every read, with the number of its entries. */
  onRead: (entries: number) => Promise<void>;
}

const readCount = 256;
const blockMs = 1000;
const trimAfter = 64;

/** Reads a client's reply stream. */
export class ReplyReader {
  private readonly stopping = new AbortController();
  /** Entry up to which the stream has been read. */
  private last = '0-0';
  private sinceTrim = 0;
  private loop: Promise<void> = Promise.resolve();

  constructor(private readonly options: ReplyReaderOptions) {}

  start(): void {
    this.loop = this.read();
  }

  async close(): Promise<void> {
    this.stopping.abort();
    this.options.connection.disconnect();
    await this.loop;
  }

  /** The stream was made anew, and its entries count from the start. */
  restart(): void {
    this.last = '0-0';
  }

  private async read(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await untilReady(this.options.connection, signal);
        const entries = await this.readOnce();
        for (const entry of entries) this.settle(parseEntry(entry));
        await this.options.onRead(entries.length);
        this.trim(entries.length);
        if (entries.length > 0) await settled();
      } catch (error) {
        if (signal.aborted) return;
        this.options.logger.debug({ err: error }, 'reading replies failed');
        await delay(100, signal);
      }
    }
  }

  /** The next entries; none when there is none for a second. */
  private async readOnce(): Promise<[Buffer, Buffer[]][]> {
    const { connection, enqueuer, stream } = this.options;
    const answer = await enqueuer.sendWith(connection, () =>
      connection.xreadBuffer('COUNT', readCount, 'BLOCK', blockMs, 'STREAMS', stream, this.last),
    );
    const entries = (answer?.[0]?.[1] ?? []) as [Buffer, Buffer[]][];
    const newest = entries.at(-1)?.[0];
    if (newest) this.last = newest.toString();
    return entries;
  }

  private trim(entries: number): void {
    this.sinceTrim += entries;
    if (this.sinceTrim < trimAfter) return;
    this.sinceTrim = 0;
    this.options.commands.xtrim(this.options.stream, 'MINID', this.last).catch(() => undefined);
  }

  private settle(entry: StreamEntry | undefined): void {
    const { signer, metrics, onReply } = this.options;
    const opened = entry && signer.open('reply', entry.packet);
    if (!opened) return;
    const { success, data: replies } = replyHeadersSchema.safeParse(JSON.parse(opened.header));
    if (!success) return metrics.transportDropped.inc({ reason: 'malformed' });
    let start = 0;
    for (const { id, bytes, error } of replies) {
      const payload = opened.payload.subarray(start, start + bytes);
      start += bytes;
      if (!onReply(id, error ? { ok: false, error } : { ok: true, payload })) {
        metrics.transportDropped.inc({ reason: 'late_reply' });
      }
    }
  }
}
