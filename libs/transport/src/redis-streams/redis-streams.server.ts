import { randomUUID } from 'node:crypto';
import { lanes, type Lane, type ServiceName } from '@lectern/contracts';
import type { Logger, Metrics } from '@lectern/telemetry';
import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import type { Redis } from 'ioredis';
import { Dispatcher } from '../dispatcher.js';
import { slotsOf, type LaneLimits } from '../lane-limits.js';
import { Claims } from './claims.js';
import { Completions } from './completions.js';
import { connect } from './connection.js';
import { group, keys } from './keys.js';
import { LaneReader } from './lane-reader.js';
import { leaveGroup } from './leave-group.js';
import { RedisClock } from './redis-clock.js';
import { RequestRunner } from './request-runner.js';
import type { Signer } from './signer.js';

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
  private readonly streams: Record<Lane, string>;
  private readonly completions: Completions;
  private readonly runner: RequestRunner;
  private readonly readers: Record<Lane, LaneReader>;
  private readonly claims: Claims;

  constructor(private readonly options: RedisStreamsServerOptions) {
    super();
    const { service, url, prefix, signer, logger, metrics } = options;
    this.commands = connect(url, logger, `${service}-server`);
    this.subscriber = connect(url, logger, `${service}-cancellations`);
    this.clock = new RedisClock(this.commands);
    this.streams = {
      interactive: keys.requests(prefix, service, 'interactive'),
      bulk: keys.requests(prefix, service, 'bulk'),
    };
    this.completions = new Completions(this.commands, signer);
    this.runner = new RequestRunner({
      redis: this.commands,
      prefix,
      consumer: this.consumer,
      streams: this.streams,
      clock: this.clock,
      signer,
      dispatcher: new Dispatcher(this, logger, metrics),
      completions: this.completions,
      logger,
      metrics,
    });
    this.readers = { interactive: this.makeReader('interactive'), bulk: this.makeReader('bulk') };
    this.claims = new Claims({
      redis: this.commands,
      clock: this.clock,
      consumer: this.consumer,
      lanes: lanes.map((lane) => ({ lane, stream: this.streams[lane], reader: this.readers[lane] })),
      onClaimed: (entry, lane, deliveries) => {
        if (this.runner.mayTakeOver(entry, lane, deliveries)) this.readers[lane].run(entry);
      },
      discard: (entryId, lane) => void this.runner.drop(entryId, lane, 'malformed'),
      onError: (error) => this.recover(error),
    });
  }

  async listen(callback: (error?: unknown) => void): Promise<void> {
    try {
      await Promise.all([this.commands.connect(), this.subscriber.connect()]);
      await this.createGroups();
      await this.clock.refresh();
      await this.subscriber.subscribe(keys.cancellations(this.options.prefix, this.options.service));
      this.subscriber.on('message', (_channel, requestId: string) => this.runner.cancel(requestId));
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
      await leaveGroup(this.commands, this.streams[lane], this.consumer).catch(() => undefined);
    }
    this.subscriber.disconnect();
    this.commands.disconnect();
  }

  on(): void {
    throw new Error('the Redis Streams transport emits no events');
  }

  unwrap<T>(): T {
    return this.commands as T;
  }

  private makeReader(lane: Lane): LaneReader {
    return new LaneReader({
      lane,
      stream: this.streams[lane],
      consumer: this.consumer,
      slots: slotsOf(this.options.limits, lane),
      connection: connect(this.options.url, this.options.logger, `${this.options.service}-${lane}`),
      commands: this.commands,
      completions: this.completions,
      handle: (entry) => this.runner.handle(entry, lane),
      discard: (entryId) => void this.runner.drop(entryId, lane, 'malformed'),
      onError: (error) => this.recover(error),
    });
  }

  private async createGroups(): Promise<void> {
    for (const lane of lanes) {
      await this.commands.xgroup('CREATE', this.streams[lane], group, '0', 'MKSTREAM').catch((error: Error) => {
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
}
