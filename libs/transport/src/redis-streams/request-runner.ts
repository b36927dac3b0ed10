import { ServiceError, type Lane } from '@lectern/contracts';
import type { Logger, Metrics } from '@lectern/telemetry';
import type { Redis } from 'ioredis';
import { CallEnd } from '../call-end.js';
import type { Reply } from '../channel.js';
import { failure, type Dispatcher } from '../dispatcher.js';
import type { Completions } from './completions.js';
import { group, keys } from './keys.js';
import { requestHeaderSchema, type RequestHeader, type StreamEntry } from './packet.js';
import { RecentSet } from './recent-set.js';
import type { RedisClock } from './redis-clock.js';
import type { Signer } from './signer.js';

export interface RequestRunnerOptions {
  redis: Redis;
  prefix: string;
  /** Name of this replica. */
  consumer: string;
  /** Key of the stream of each lane. */
  streams: Record<Lane, string>;
  clock: RedisClock;
  signer: Signer;
  dispatcher: Dispatcher;
  completions: Completions;
  logger: Logger;
  metrics: Metrics;
}

/** Runs requests that a replica has read or claimed, each once, and sees that each is answered or dropped. */
export class RequestRunner {
  /** What ends a running request; by request id. */
  private readonly running = new Map<string, CallEnd>();
  private readonly cancelled = new RecentSet(5000);
  /** Entry under which a request id came; another entry with the same id is a replay. */
  private readonly seen = new RecentSet(50_000);

  constructor(private readonly options: RequestRunnerOptions) {}

  async handle(entry: StreamEntry, lane: Lane): Promise<void> {
    const { clock, metrics, dispatcher } = this.options;
    const request = this.authenticate(entry);
    if (!request) return this.drop(entry.id, lane, 'forged');
    const { header, payload } = request;
    if (this.seen.addOrGet(header.id, entry.id) !== entry.id) return this.drop(entry.id, lane, 'replayed');
    const now = clock.now();
    const timeToLiveMs = header.expiresAt - now;
    const [enqueuedAt] = entry.id.split('-');
    metrics.transportQueueLag.observe({ lane }, Math.max(0, now - Number(enqueuedAt)) / 1000);
    if (timeToLiveMs <= 0) return this.drop(entry.id, lane, 'expired');
    if (!(await this.mayBegin(header, timeToLiveMs))) return this.giveUp(entry, lane, header);
    if (this.cancelled.has(header.id)) return this.drop(entry.id, lane, 'cancelled');
    const end = new CallEnd();
    this.running.set(header.id, end);
    const timer = setTimeout(() => end.end(new Error('the time is up')), timeToLiveMs);
    metrics.transportPending.rise(lane);
    try {
      const reply = await dispatcher.dispatch({
        operation: header.operation,
        payload,
        caller: header.caller,
        trace: header.trace,
        timeToLiveMs,
        end,
      });
      await this.complete(entry.id, lane, header, reply);
    } finally {
      clearTimeout(timer);
      this.running.delete(header.id);
      metrics.transportPending.fall(lane);
    }
  }

  /**
   * Whether a request whose replica went silent may run again here: what is safe does, unless it has brought down several
   * replicas already. What may not is dropped or answered.
   *
   * @param deliveries how many replicas have had it.
   */
  mayTakeOver(entry: StreamEntry, lane: Lane, deliveries: number): boolean {
    const header = this.authenticate(entry)?.header;
    if (!header) {
      void this.drop(entry.id, lane, 'forged');
      return false;
    }
    if (this.options.dispatcher.operation(header.operation)?.retry !== 'safe' || deliveries > 3) {
      void this.giveUp(entry, lane, header);
      return false;
    }
    this.seen.set(header.id, entry.id);
    return true;
  }

  /** The caller gave up a request, which may run, or may come later. */
  cancel(requestId: string): void {
    const running = this.running.get(requestId);
    if (running) running.end(new Error('the caller gave up'));
    else this.cancelled.set(requestId, '');
  }

  /** Removes an entry without an answer. */
  async drop(entryId: string, lane: Lane, reason: string): Promise<void> {
    const { redis, streams, metrics } = this.options;
    metrics.transportDropped.inc({ reason });
    await redis
      .multi()
      .xack(streams[lane], group, entryId)
      .xdel(streams[lane], entryId)
      .exec()
      .catch(() => undefined);
  }

  private authenticate(entry: StreamEntry): { header: RequestHeader; payload: Buffer } | undefined {
    const opened = this.options.signer.open('request', entry.packet);
    if (!opened) return undefined;
    const parsed = requestHeaderSchema.safeParse(JSON.parse(opened.header));
    return parsed.success ? { header: parsed.data, payload: opened.payload } : undefined;
  }

  /** A request that must not run twice is marked before it runs, for every replica to see. */
  private async mayBegin(header: RequestHeader, timeToLiveMs: number): Promise<boolean> {
    const { dispatcher, prefix, redis, consumer } = this.options;
    if (dispatcher.operation(header.operation)?.retry !== 'never') return true;
    const lifeMs = Math.ceil(timeToLiveMs) + 60_000;
    return (await redis.set(keys.begun(prefix, header.id), consumer, 'PX', lifeMs, 'NX').catch(() => null)) === 'OK';
  }

  private giveUp(entry: StreamEntry, lane: Lane, header: RequestHeader): Promise<void> {
    return this.complete(entry.id, lane, header, failure(outcomeUnknown()));
  }

  /** A lost connection leaves the request pending, to be claimed. */
  private async complete(entryId: string, lane: Lane, header: RequestHeader, reply: Reply): Promise<void> {
    const { completions, streams, logger } = this.options;
    await completions
      .add({ requests: streams[lane], entryId, id: header.id, replies: header.replyTo, reply })
      .catch((error: unknown) => logger.warn({ err: error, requestId: header.caller.requestId }, 'reply not sent'));
  }
}

function outcomeUnknown(): ServiceError {
  return new ServiceError(
    'outcome_unknown',
    'The service stopped while it ran this call, and it is unknown whether the change was made. Look before you repeat it.',
  );
}
