import type { Redis } from 'ioredis';
import { group } from './keys.js';

/**
 * Reply, acknowledgement and removal in one step. A reply that fails leaves the request pending, unlike in MULTI.
 * KEYS: requests, replies. ARGV: group, entry, header, payload, signature.
 */
const script = `
redis.call('XADD', KEYS[2], 'NOMKSTREAM', '*', 'h', ARGV[3], 'p', ARGV[4], 's', ARGV[5])
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
redis.call('XDEL', KEYS[1], ARGV[2])
`;

export interface Completion {
  requests: string;
  replies: string;
  /** Entry of the request. */
  entryId: string;
  header: string;
  payload: Buffer;
  signature: Buffer;
}

type WithComplete = Redis & {
  lecternComplete(...values: (string | Buffer)[]): Promise<null>;
};

/** Teaches a connection the script. */
export function defineComplete(redis: Redis): void {
  redis.defineCommand('lecternComplete', { numberOfKeys: 2, lua: script });
}

export async function complete(redis: Redis, completion: Completion): Promise<void> {
  const { requests, replies, entryId, header, payload, signature } = completion;
  await (redis as WithComplete).lecternComplete(requests, replies, group, entryId, header, payload, signature);
}
