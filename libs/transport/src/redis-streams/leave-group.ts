import type { Redis } from 'ioredis';
import { group } from './keys.js';

/**
 * Removes a consumer unless entries are still its own: with it they would leave the group, and nobody could claim them.
 * KEYS: stream. ARGV: group, consumer.
 */
const script = `
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) > 0 then return 0 end
return redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
`;

/** Takes a closing replica out of the group of a stream. */
export async function leaveGroup(redis: Redis, stream: string, consumer: string): Promise<void> {
  await redis.eval(script, 1, stream, group, consumer);
}
