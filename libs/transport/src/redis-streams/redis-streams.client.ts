import { randomUUID } from 'node:crypto';
import { ServiceError } from '@lectern/contracts';
import type { Logger, Metrics } from '@lectern/telemetry';
import type { Redis } from 'ioredis';
import type { OutgoingRequest, Reply, RequestChannel } from '../channel.js';
import { connect, delay, nextTurn, sendTogether, untilReady } from './connection.js';
import { defineEnqueue, enqueue } from './enqueue.js';
import { keys } from './keys.js';
import { parseEntry, replyHeaderSchema, type StreamEntry } from './packet.js';
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

interface Pending {
  /** True once Redis may have the request. */
  sent: boolean;
  resolve: (reply: Reply) => void;
  reject: (error: Error) => void;
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
  private readonly pending = new Map<string, Pending>();
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
    for (const { reject } of this.pending.values()) {
      reject(new ServiceError('unavailable', 'The process is stopping. Try again.', { retryAfterMs: 1000 }));
    }
    this.pending.clear();
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
    const id = randomUUID();
    const expiresAt = this.clock.now() + request.timeToLiveMs;
    const settled = new Promise<Reply>((resolve, reject) => this.pending.set(id, { sent: false, resolve, reject }));
    const abort = (): void => this.abandon(id, request, signal);
    signal.addEventListener('abort', abort, { once: true });
    try {
      // A Redis that stands still never answers the command, so its answer is not what we wait for.
      this.enqueue(id, request, expiresAt, signal).catch((error: Error) => this.pending.get(id)?.reject(error));
      return await settled;
    } finally {
      signal.removeEventListener('abort', abort);
      this.pending.delete(id);
    }
  }

  /** Puts the request into its stream; waits for a lost connection to come back while the caller waits. */
  private async enqueue(id: string, request: OutgoingRequest, expiresAt: number, signal: AbortSignal): Promise<void> {
    const { service, lane, name } = request.operation;
    const header = JSON.stringify({
      id,
      operation: name,
      caller: request.caller,
      trace: request.trace,
      replyTo: this.replies,
      expiresAt,
    });
    const packet = {
      requests: keys.requests(this.options.prefix, service, lane),
      replies: this.replies,
      maxQueue: this.options.maxQueue,
      header,
      payload: request.payload,
      signature: this.options.signer.sign('request', header, request.payload),
    };
    for (;;) {
      await untilReady(this.commands, signal);
      signal.throwIfAborted();
      const pending = this.pending.get(id);
      if (!pending) return;
      pending.sent = true;
      sendTogether(this.commands);
      try {
        if (await enqueue(this.commands, packet)) return;
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

  private abandon(id: string, request: OutgoingRequest, signal: AbortSignal): void {
    const pending = this.pending.get(id);
    if (!pending?.sent) return void pending?.reject(notSent());
    pending.reject(signal.reason as Error);
    this.commands
      .publish(keys.cancellations(this.options.prefix, request.operation.service), id)
      .catch(() => undefined);
  }

  private async readReplies(): Promise<void> {
    let last = '0-0';
    let sinceTrim = 0;
    while (!this.stopping.signal.aborted) {
      try {
        await untilReady(this.reader, this.stopping.signal);
        const answer = await this.reader.xreadBuffer(
          'COUNT',
          readCount,
          'BLOCK',
          blockMs,
          'STREAMS',
          this.replies,
          last,
        );
        await this.clock.refresh();
        if (!answer) continue;
        // What the callers ask next leaves before the next read does.
        sendTogether(this.commands);
        for (const raw of answer[0]?.[1] ?? []) {
          last = raw[0].toString();
          sinceTrim += 1;
          this.settle(parseEntry(raw as [Buffer, Buffer[]]));
        }
        if (sinceTrim >= trimAfter) {
          sinceTrim = 0;
          this.commands.xtrim(this.replies, 'MINID', last).catch(() => undefined);
        }
        await nextTurn();
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        this.options.logger.debug({ err: error }, 'reading replies failed');
        await delay(100, this.stopping.signal);
      }
    }
  }

  private settle(entry: StreamEntry | undefined): void {
    if (!entry || !this.options.signer.verify('reply', entry.header, entry.payload, entry.signature)) return;
    const header = replyHeaderSchema.parse(JSON.parse(entry.header));
    const pending = this.pending.get(header.id);
    if (!pending) {
      this.options.metrics.transportDropped.inc({ reason: 'late_reply' });
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
