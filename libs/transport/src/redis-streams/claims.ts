import type { Lane } from '@lectern/contracts';
import type { Redis } from 'ioredis';
import { delay } from './connection.js';
import { removeDeadConsumers } from './dead-consumers.js';
import { group } from './keys.js';
import type { LaneReader } from './lane-reader.js';
import { parseEntry, type StreamEntry } from './packet.js';
import type { RedisClock } from './redis-clock.js';

/** A replica renews what it runs this often … */
const renewEveryMs = 1000;
/** … and what nobody renewed for this long is taken over. */
const staleAfterMs = 3000;

export interface ClaimsOptions {
  redis: Redis;
  /** Measured again in the same loop, since Redis may come back on another machine. */
  clock: RedisClock;
  consumer: string;
  lanes: { lane: Lane; stream: string; reader: LaneReader }[];
  /** @param deliveries how many replicas have had the entry before. */
  onClaimed: (entry: StreamEntry, lane: Lane, deliveries: number) => void;
  /** An entry without the fields of a request. */
  discard: (entryId: string, lane: Lane) => void;
  onError: (error: unknown) => void;
}

/** Replicas silent for this long are taken out of the group … */
const deadAfterMs = 60_000;
/** … by whoever looks, once in so many rounds. */
const roundsBetweenLooks = 30;

/** Keeps this replica's running requests its own, and takes over those of replicas that died. */
export class Claims {
  private readonly stopping = new AbortController();
  private loop: Promise<void> = Promise.resolve();

  constructor(private readonly options: ClaimsOptions) {}

  start(): void {
    this.loop = this.run();
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    for (let round = 0; !signal.aborted; round += 1) {
      await delay(renewEveryMs, signal);
      await this.options.clock.refresh().catch(this.options.onError);
      for (const { lane, stream, reader } of this.options.lanes) {
        try {
          await this.renew(stream, reader.runningIds);
          if (!signal.aborted && reader.free > 0) await this.takeOver(lane, stream, reader);
          if (round % roundsBetweenLooks === 0) await removeDeadConsumers(this.options.redis, stream, deadAfterMs);
        } catch (error) {
          this.options.onError(error);
        }
      }
    }
  }

  private async renew(stream: string, ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.options.redis.xclaim(stream, group, this.options.consumer, 0, ...ids, 'JUSTID');
  }

  private async takeOver(lane: Lane, stream: string, reader: LaneReader): Promise<void> {
    const { redis, consumer } = this.options;
    const stale = (await redis.xpending(stream, group, 'IDLE', staleAfterMs, '-', '+', reader.free)) as [
      string,
      string,
      number,
      number,
    ][];
    for (const [id, , , deliveries] of stale) {
      const claimed = (await redis.callBuffer('XCLAIM', stream, group, consumer, staleAfterMs, id)) as [
        Buffer,
        Buffer[],
      ][];
      const entry = claimed[0] ? parseEntry(claimed[0]) : undefined;
      if (entry) this.options.onClaimed(entry, lane, deliveries);
      else if (claimed[0]) this.options.discard(id, lane);
    }
  }
}
