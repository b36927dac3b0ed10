import { randomUUID } from 'node:crypto';
import { ServiceError } from '@lectern/contracts';
import type { Logger, Metrics } from '@lectern/telemetry';
import type { Redis } from 'ioredis';
import type { OutgoingRequest, Reply, RequestChannel } from '../channel.js';
import { connect, delay, nextTurn, sendTogether, untilReady } from './connection.js';
import { defineEnqueue, enqueue, keepReplyStream, type EnqueueRequest } from './enqueue.js';
import { keys } from './keys.js';
import { parseEntry, replyHeaderSchema, type StreamEntry } from './packet.js';
import { PendingRequest, PendingRequests } from './pending-requests.js';
import { RedisClock } from './redis-clock.js';
import type { Signer } from './signature.js';

export interface RedisStreamsClientOptions {
  url: string;
  prefix: string;
  signer: Signer;
  maxQueue: number;
  logger: Logger;
  metrics: Metrics;
}

const readCount = 256;
const blockMs = 1000;
const trimAfter = 64;

/** The client half: enqueues requests, and reads its own reply stream. */
export class RedisStreamsClient implements RequestChannel {
  private readonly commands: Redis;
  private readonly reader: Redis;
  private readonly clock: RedisClock;
  private readonly replies: string;
  private readonly pending = new PendingRequests();
  /** Entry up to which the reply stream has been read. */
  private lastReply = '0-0';
  private readonly stopping = new AbortController();
  private reading: Promise<void> = Promise.resolve();

  constructor(private readonly options: RedisStreamsClientOptions) {
    this.commands = connect(options.url, options.logger, 'client');
    this.reader = connect(options.url, options.logger, 'replies');
    this.clock = new RedisClock(this.commands);
    this.replies = keys.replies(options.prefix, randomUUID());
    defineEnqueue(this.commands);
  }

  async start(): Promise<void> {
    await Promise.all([this.commands.connect(), this.reader.connect()]);
    await this.clock.refresh();
    this.reading = this.readReplies();
  }

  isConnected(): boolean {
    return this.commands.status === 'ready' && this.reader.status === 'ready';
  }

  async close(): Promise<void> {
    this.stopping.abort();
    this.pending.rejectAll(
      new ServiceError('unavailable', 'The process is stopping. Try again.', { retryAfterMs: 1000 }),
    );
    const unlinked = new AbortController();
    this.commands.unlink(this.replies).then(
      () => unlinked.abort(),
      () => unlinked.abort(),
    );
    await delay(1000, unlinked.signal);
    this.reader.disconnect();
    await this.reading;
    this.commands.disconnect();
  }

  async request(request: OutgoingRequest, signal: AbortSignal): Promise<Reply> {
    const pending = new PendingRequest(request, this.clock.now() + request.timeToLiveMs, signal);
    const abort = (): void => this.abandon(pending);
    signal.addEventListener('abort', abort, { once: true });
    try {
      this.send(pending);
      return await pending.reply;
    } finally {
      signal.removeEventListener('abort', abort);
      this.pending.remove(pending);
    }
  }

  /** Does not wait: a Redis that stands still never answers the command. */
  private send(pending: PendingRequest): void {
    const id = randomUUID();
    this.pending.add(id, pending);
    this.enqueue(id, pending).catch((error: Error) => pending.reject(error));
  }

  /** Puts the request into its stream; waits for a lost connection to come back while the caller waits. */
  private async enqueue(id: string, pending: PendingRequest): Promise<void> {
    const packet = this.packetOf(id, pending);
    const { request, signal } = pending;
    for (;;) {
      await untilReady(this.commands, signal);
      signal.throwIfAborted();
      if (!this.pending.get(id)) return;
      pending.sent = true;
      sendTogether(this.commands);
      try {
        const { added, repliesMade } = await enqueue(this.commands, packet);
        if (repliesMade) this.sendLostAgain();
        pending.queued = added;
        if (added) return;
      } catch (error) {
        if (isServerReply(error)) throw refused(error);
        if (request.operation.retry === 'never') throw lost();
        // A connection that broke in between: safe requests go again, with the same id, under which they run once more
        // at the most.
        await delay(50, signal);
        continue;
      }
      this.options.metrics.transportDropped.inc({ reason: 'full' });
      throw new ServiceError('unavailable', 'The service is busy. Try again.', { retryAfterMs: 1000 });
    }
  }

  private packetOf(id: string, { request, expiresAt }: PendingRequest): EnqueueRequest {
    const { service, lane, name } = request.operation;
    const header = JSON.stringify({
      id,
      operation: name,
      caller: request.caller,
      trace: request.trace,
      replyTo: this.replies,
      expiresAt,
    });
    return {
      requests: keys.requests(this.options.prefix, service, lane),
      replies: this.replies,
      maxQueue: this.options.maxQueue,
      header,
      payload: request.payload,
      signature: this.options.signer.sign('request', header, request.payload),
    };
  }

  /**
   * The reply stream was gone, so Redis was emptied: what waited there is lost, or its reply is. What is safe goes again,
   * under another id, since a replica may have answered the first one already.
   */
  private sendLostAgain(): void {
    this.lastReply = '0-0';
    for (const pending of this.pending.takeLost()) {
      if (pending.request.operation.retry === 'safe') this.send(pending);
      else pending.reject(lost());
    }
  }

  private abandon(pending: PendingRequest): void {
    if (!pending.sent) return pending.reject(notSent());
    pending.reject(pending.signal.reason as Error);
    const channel = keys.cancellations(this.options.prefix, pending.request.operation.service);
    for (const id of pending.ids) this.commands.publish(channel, id).catch(() => undefined);
  }

  private async readReplies(): Promise<void> {
    let sinceTrim = 0;
    while (!this.stopping.signal.aborted) {
      try {
        await untilReady(this.reader, this.stopping.signal);
        const entries = await this.readOnce();
        await this.clock.refresh();
        if (entries.length === 0) {
          if (this.pending.size > 0 && (await keepReplyStream(this.commands, this.replies))) this.sendLostAgain();
          continue;
        }
        // What the callers ask next leaves before the next read does.
        sendTogether(this.commands);
        for (const entry of entries) this.settle(parseEntry(entry));
        sinceTrim += entries.length;
        if (sinceTrim >= trimAfter) {
          sinceTrim = 0;
          this.commands.xtrim(this.replies, 'MINID', this.lastReply).catch(() => undefined);
        }
        await nextTurn();
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        this.options.logger.debug({ err: error }, 'reading replies failed');
        await delay(100, this.stopping.signal);
      }
    }
  }

  /** The next replies; none when there is none for a second. */
  private async readOnce(): Promise<[Buffer, Buffer[]][]> {
    const from = ['STREAMS', this.replies, this.lastReply] as const;
    const answer = await this.reader.xreadBuffer('COUNT', readCount, 'BLOCK', blockMs, ...from);
    const entries = (answer?.[0]?.[1] ?? []) as [Buffer, Buffer[]][];
    const newest = entries.at(-1)?.[0];
    if (newest) this.lastReply = newest.toString();
    return entries;
  }

  private settle(entry: StreamEntry | undefined): void {
    if (!entry || !this.options.signer.verify('reply', entry.header, entry.payload, entry.signature)) return;
    const { success, data: header } = replyHeaderSchema.safeParse(JSON.parse(entry.header));
    const pending = success ? this.pending.get(header.id) : undefined;
    if (!success || !pending) {
      this.options.metrics.transportDropped.inc({ reason: success ? 'late_reply' : 'malformed' });
      return;
    }
    pending.resolve(header.error ? { ok: false, error: header.error } : { ok: true, payload: entry.payload });
  }
}

/** Redis answered, and its answer is an error: the command was refused and not lost. */
function isServerReply(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}

function refused(cause: unknown): ServiceError {
  return new ServiceError('unavailable', 'The request could not be queued. Try again.', { retryAfterMs: 1000, cause });
}

function notSent(): ServiceError {
  return new ServiceError('unavailable', 'The service could not be reached. Try again.', { retryAfterMs: 1000 });
}

function lost(): ServiceError {
  return new ServiceError(
    'outcome_unknown',
    'The connection broke while the request was sent, and it is unknown whether the change was made. Look before you repeat it.',
  );
}
