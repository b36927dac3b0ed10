import type { Redis } from 'ioredis';
import { group } from './keys.js';
import { leaveGroup } from './leave-group.js';

/**
 * Takes replicas out of the group of a stream that nobody has heard of for a while and that hold nothing: those that were
 * killed can't leave it themselves. One that lives after all joins again with its next read.
 */
export async function removeDeadConsumers(redis: Redis, stream: string, silentForMs: number): Promise<void> {
  // Each as name, …, pending, …, idle, … with the labels in between; newer servers append.
  const consumers = (await redis.xinfo('CONSUMERS', stream, group)) as (string | number)[][];
  for (const fields of consumers) {
    const [, name, , , , idleMs] = fields;
    if (Number(idleMs) >= silentForMs) await leaveGroup(redis, stream, String(name));
  }
}
