import { randomUUID } from 'node:crypto';
import { lanes, ServiceError, type Lane, type ServiceName } from '@lectern/contracts';
import type { Logger, Metrics } from '@lectern/telemetry';
import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import type { Redis } from 'ioredis';
import { Dispatcher, failure } from '../dispatcher.js';
import { slotsOf, type LaneLimits } from '../lane-limits.js';
import type { Reply } from '../channel.js';
import { Claims } from './claims.js';
import { complete, defineComplete } from './complete.js';
import { connect, keepAsking, sendTogether } from './connection.js';
import { group, keys } from './keys.js';
import { LaneReader } from './lane-reader.js';
import { leaveGroup } from './leave-group.js';
import { requestHeaderSchema, type RequestHeader, type StreamEntry } from './packet.js';
import { RecentSet } from './recent-set.js';
import { RedisClock } from './redis-clock.js';
import type { Signer } from './signature.js';

export interface RedisStreamsServerOptions {
  service: ServiceName;
  url: string;
  prefix: string;
  signer: Signer;
  limits: LaneLimits;
  graceMs: number;
  logger: Logger;
  metrics: Metrics;
}

/** A replica of a service: it competes with the others for the requests of two streams. */
export class RedisStreamsServer extends Server implements CustomTransportStrategy {
  private readonly consumer = randomUUID();
  private readonly commands: Redis;
  private readonly subscriber: Redis;
  private readonly clock: RedisClock;
  private readonly dispatcher: Dispatcher;
  private readonly readers: Record<Lane, LaneReader>;
  private readonly claims: Claims;
  private stopAsking: (() => void) | undefined;
  /** Aborts a running request; by request id. */
  private readonly aborts = new Map<string, AbortController>();
  private readonly cancelled = new RecentSet(10_000);
  /** Entry under which a request id came; another entry with the same id is a replay. */
  private readonly seen = new RecentSet(100_000);

  constructor(private readonly options: RedisStreamsServerOptions) {
    super();
    this.commands = connect(options.url, options.logger, `${options.service}-server`);
    defineComplete(this.commands);
    this.subscriber = connect(options.url, options.logger, `${options.service}-cancellations`);
    this.clock = new RedisClock(this.commands);
    this.dispatcher = new Dispatcher(this, options.logger, options.metrics);
    this.readers = { interactive: this.makeReader('interactive'), bulk: this.makeReader('bulk') };
    this.claims = new Claims({
      redis: this.commands,
      clock: this.clock,
      consumer: this.consumer,
      lanes: lanes.map((lane) => ({ lane, stream: this.stream(lane), reader: this.readers[lane] })),
      onClaimed: (entry, lane, deliveries) => this.takeOver(entry, lane, deliveries),
      discard: (entryId, lane) => this.drop(entryId, lane, 'malformed'),
      onError: (error) => this.recover(error),
    });
  }

  async listen(callback: (error?: unknown) => void): Promise<void> {
    try {
      await Promise.all([this.commands.connect(), this.subscriber.connect()]);
      await this.createGroups();
      await this.clock.refresh();
      await this.subscriber.subscribe(keys.cancellations(this.options.prefix, this.options.service));
      this.stopAsking = keepAsking(this.subscriber);
      this.subscriber.on('message', (_channel, requestId: string) => this.cancel(requestId));
      await Promise.all(lanes.map((lane) => this.readers[lane].start()));
      this.claims.start();
      callback();
    } catch (error) {
      callback(error);
    }
  }

  /** Stops reading, lets running requests end within the grace period, then lets go of the connections. */
  async close(): Promise<void> {
    const signal = AbortSignal.timeout(Math.max(1, this.options.graceMs));
    await Promise.all(lanes.map((lane) => this.readers[lane].close(signal)));
    await this.claims.close();
    for (const lane of lanes) {
      await leaveGroup(this.commands, this.stream(lane), this.consumer).catch(() => undefined);
    }
    this.stopAsking?.();
    this.subscriber.disconnect();
    this.commands.disconnect();
  }

  on(): void {
    throw new Error('the Redis Streams transport emits no events');
  }

  unwrap<T>(): T {
    return this.commands as T;
  }

  private stream(lane: Lane): string {
    return keys.requests(this.options.prefix, this.options.service, lane);
  }

  private makeReader(lane: Lane): LaneReader {
    return new LaneReader({
      lane,
      stream: this.stream(lane),
      consumer: this.consumer,
      slots: slotsOf(this.options.limits, lane),
      connection: connect(this.options.url, this.options.logger, `${this.options.service}-${lane}`),
      commands: this.commands,
      handle: (entry) => this.handle(entry, lane),
      discard: (entryId) => this.drop(entryId, lane, 'malformed'),
      onError: (error) => this.recover(error),
    });
  }

  private async createGroups(): Promise<void> {
    for (const lane of lanes) {
      await this.commands.xgroup('CREATE', this.stream(lane), group, '0', 'MKSTREAM').catch((error: Error) => {
        if (!error.message.startsWith('BUSYGROUP')) throw error;
      });
    }
  }

  /** Redis was emptied: the group is gone, and is made again. Anything else is reported; the loop goes on. */
  private recover(error: unknown): void {
    const message = error instanceof Error ? error.message : '';
    if (/NOGROUP|no longer exists/.test(message)) this.createGroups().catch(() => undefined);
    else if (this.commands.status === 'ready') this.options.logger.warn({ err: error }, 'reading requests failed');
  }

  private async handle(entry: StreamEntry, lane: Lane): Promise<void> {
    const header = this.authenticate(entry);
    if (!header) return this.drop(entry.id, lane, 'forged');
    if (this.seen.addOrGet(header.id, entry.id) !== entry.id) return this.drop(entry.id, lane, 'replayed');
    const timeToLiveMs = header.expiresAt - this.clock.now();
    const [enqueuedAt] = entry.id.split('-');
    this.options.metrics.transportQueueLag.observe({ lane }, Math.max(0, this.clock.now() - Number(enqueuedAt)) / 1000);
    if (timeToLiveMs <= 0) return this.drop(entry.id, lane, 'expired');
    if (!(await this.mayBegin(header, timeToLiveMs))) {
      return this.complete(entry.id, lane, header, failure(outcomeUnknown()));
    }
    if (this.cancelled.has(header.id)) return this.drop(entry.id, lane, 'cancelled');
    const abort = new AbortController();
    this.aborts.set(header.id, abort);
    const timer = setTimeout(() => abort.abort(new Error('the time is up')), timeToLiveMs);
    this.options.metrics.transportPending.inc({ lane });
    try {
      const reply = await this.dispatcher.dispatch({
        operation: header.operation,
        payload: entry.payload,
        caller: header.caller,
        trace: header.trace,
        timeToLiveMs,
        signal: abort.signal,
      });
      await this.complete(entry.id, lane, header, reply);
    } finally {
      clearTimeout(timer);
      this.aborts.delete(header.id);
      this.options.metrics.transportPending.dec({ lane });
    }
  }

  private authenticate(entry: StreamEntry): RequestHeader | undefined {
    if (!this.options.signer.verify('request', entry.header, entry.payload, entry.signature)) return undefined;
    const parsed = requestHeaderSchema.safeParse(JSON.parse(entry.header));
    return parsed.success ? parsed.data : undefined;
  }

  /** A request that must not run twice is marked before it runs, for every replica to see. */
  private async mayBegin(header: RequestHeader, timeToLiveMs: number): Promise<boolean> {
    if (this.dispatcher.operation(header.operation)?.retry !== 'never') return true;
    const key = keys.begun(this.options.prefix, header.id);
    const lifeMs = Math.ceil(timeToLiveMs) + 60_000;
    return (await this.commands.set(key, this.consumer, 'PX', lifeMs, 'NX').catch(() => null)) === 'OK';
  }

  /** A request whose replica went silent. What is safe runs again here, unless it has brought down several already. */
  private takeOver(entry: StreamEntry, lane: Lane, deliveries: number): void {
    const header = this.authenticate(entry);
    if (!header) return void this.drop(entry.id, lane, 'forged');
    if (this.dispatcher.operation(header.operation)?.retry !== 'safe' || deliveries > 3) {
      return void this.complete(entry.id, lane, header, failure(outcomeUnknown()));
    }
    this.seen.set(header.id, entry.id);
    this.readers[lane].run(entry);
  }

  /** Reply, acknowledgement and removal are one step. A lost connection leaves the request pending, to be claimed. */
  private async complete(entryId: string, lane: Lane, header: RequestHeader, reply: Reply): Promise<void> {
    const text = JSON.stringify({ id: header.id, ...(reply.ok ? {} : { error: reply.error }) });
    const payload = reply.ok ? reply.payload : Buffer.alloc(0);
    const signature = this.options.signer.sign('reply', text, payload);
    sendTogether(this.commands);
    await complete(this.commands, {
      requests: this.stream(lane),
      replies: header.replyTo,
      entryId,
      header: text,
      payload,
      signature,
    }).catch((error: unknown) =>
      this.options.logger.warn({ err: error, requestId: header.caller.requestId }, 'reply not sent'),
    );
  }

  private async drop(entryId: string, lane: Lane, reason: string): Promise<void> {
    this.options.metrics.transportDropped.inc({ reason });
    const stream = this.stream(lane);
    await this.commands
      .multi()
      .xack(stream, group, entryId)
      .xdel(stream, entryId)
      .exec()
      .catch(() => undefined);
  }

  private cancel(requestId: string): void {
    const running = this.aborts.get(requestId);
    if (running) running.abort(new Error('the caller gave up'));
    else this.cancelled.set(requestId, '');
  }
}

function outcomeUnknown(): ServiceError {
  return new ServiceError(
    'outcome_unknown',
    'The service stopped while it ran this call, and it is unknown whether the change was made. Look before you repeat it.',
  );
}
