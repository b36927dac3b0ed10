import { randomUUID } from 'node:crypto';
import { ServiceError } from '@lectern/contracts';
import type { Logger, Metrics } from '@lectern/telemetry';
import type { Redis } from 'ioredis';
import type { CallEnd } from '../call-end.js';
import type { OutgoingRequest, Reply, RequestChannel } from '../channel.js';
import { connect, delay, untilReady } from './connection.js';
import { Enqueuer, NotWritten, type OutgoingPacket } from './enqueue.js';
import { keys } from './keys.js';
import { PendingRequest, PendingRequests } from './pending-requests.js';
import { RedisClock } from './redis-clock.js';
import { ReplyReader } from './reply-reader.js';
import type { Signer } from './signer.js';

export interface RedisStreamsClientOptions {
  url: string;
  prefix: string;
  signer: Signer;
  maxQueue: number;
  logger: Logger;
  metrics: Metrics;
}

/** The client half: enqueues requests, and settles them with what comes in its own reply stream. */
export class RedisStreamsClient implements RequestChannel {
  private readonly commands: Redis;
  private readonly connection: Redis;
  private readonly clock: RedisClock;
  private readonly replies: string;
  private readonly enqueuer: Enqueuer;
  private readonly reader: ReplyReader;
  private readonly pending = new PendingRequests();

  constructor(private readonly options: RedisStreamsClientOptions) {
    const { url, prefix, signer, maxQueue, logger, metrics } = options;
    this.commands = connect(url, logger, 'client');
    this.connection = connect(url, logger, 'replies');
    this.clock = new RedisClock(this.commands);
    this.replies = keys.replies(prefix, randomUUID());
    this.enqueuer = new Enqueuer({
      redis: this.commands,
      replies: this.replies,
      maxQueue,
      onRepliesMade: () => this.sendLostAgain(),
    });
    this.reader = new ReplyReader({
      connection: this.connection,
      commands: this.commands,
      stream: this.replies,
      signer,
      logger,
      metrics,
      enqueuer: this.enqueuer,
      onReply: (id, reply) => this.settle(id, reply),
      onRead: (entries) => this.afterRead(entries),
    });
  }

  async start(): Promise<void> {
    await Promise.all([this.commands.connect(), this.connection.connect()]);
    await this.clock.refresh();
    this.reader.start();
  }

  isConnected(): boolean {
    return this.commands.status === 'ready' && this.connection.status === 'ready';
  }

  async close(): Promise<void> {
    this.pending.rejectAll(
      new ServiceError('unavailable', 'The process is stopping. Try again.', { retryAfterMs: 1000 }),
    );
    const stopped = this.reader.close();
    const unlinked = new AbortController();
    this.commands.unlink(this.replies).then(
      () => unlinked.abort(),
      () => unlinked.abort(),
    );
    await delay(1000, unlinked.signal);
    this.commands.disconnect();
    await stopped;
  }

  async request(request: OutgoingRequest, end: CallEnd): Promise<Reply> {
    const pending = new PendingRequest(request, this.clock.now() + request.timeToLiveMs, end);
    end.onEnd = (reason) => this.abandon(pending, reason);
    try {
      this.send(pending);
      return await pending.reply;
    } finally {
      end.onEnd = undefined;
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
    const { request, end } = pending;
    for (;;) {
      if (this.commands.status !== 'ready') await untilReady(this.commands, end.signal);
      if (end.reason) throw end.reason;
      if (!this.pending.get(id)) return;
      try {
        if (await this.enqueuer.add(packet, pending)) return;
      } catch (error) {
        if (isServerReply(error)) throw refused(error);
        if (request.operation.retry === 'never' && !(error instanceof NotWritten)) throw lost();
        // Safe requests go again, with the same id, under which they run once more at the most.
        await delay(50, end.signal);
        continue;
      }
      this.options.metrics.transportDropped.inc({ reason: 'full' });
      throw new ServiceError('unavailable', 'The service is busy. Try again.', { retryAfterMs: 1000 });
    }
  }

  private packetOf(id: string, { request, expiresAt }: PendingRequest): OutgoingPacket {
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
      bytes: this.options.signer.seal('request', header, request.payload),
    };
  }

  /**
   * The reply stream was gone, so Redis was emptied: what waited there is lost, or its reply is. What is safe goes again,
   * under another id, since a replica may have answered the first one already.
   */
  private sendLostAgain(): void {
    this.reader.restart();
    for (const pending of this.pending.takeLost()) {
      if (pending.request.operation.retry === 'safe') this.send(pending);
      else pending.reject(lost());
    }
  }

  private abandon(pending: PendingRequest, reason: Error): void {
    if (!pending.sent) return pending.reject(notSent());
    pending.reject(reason);
    const channel = keys.cancellations(this.options.prefix, pending.request.operation.service);
    for (const id of pending.ids) this.commands.publish(channel, id).catch(() => undefined);
  }

  private settle(id: string, reply: Reply): boolean {
    const pending = this.pending.get(id);
    pending?.resolve(reply);
    return pending !== undefined;
  }

  /** Nothing came for a second though something is awaited: the stream may be gone. */
  private async afterRead(entries: number): Promise<void> {
    await this.clock.refresh();
    if (entries === 0 && this.pending.size > 0) await this.enqueuer.keepReplies();
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
