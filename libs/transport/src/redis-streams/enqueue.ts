import type { Redis } from 'ioredis';

/**
 * Adds a request unless its stream is full, and keeps the caller's reply stream alive, which replies never create.
 * KEYS: requests, replies. ARGV: bound of the stream, milliseconds of life of the reply stream, header, payload, signature.
 */
const script = `
if redis.call('XLEN', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
if redis.call('EXISTS', KEYS[2]) == 0 then redis.call('XADD', KEYS[2], '*', 'n', '') end
redis.call('PEXPIRE', KEYS[2], ARGV[2])
redis.call('XADD', KEYS[1], '*', 'h', ARGV[3], 'p', ARGV[4], 's', ARGV[5])
return 1
`;

const replyStreamLifeMs = 120_000;

export interface EnqueueRequest {
  requests: string;
  replies: string;
  maxQueue: number;
  header: string;
  payload: Buffer;
  signature: Buffer;
}

type WithEnqueue = Redis & {
  lecternEnqueue(...values: (string | number | Buffer)[]): Promise<number>;
};

/** Teaches a connection the script. */
export function defineEnqueue(redis: Redis): void {
  redis.defineCommand('lecternEnqueue', { numberOfKeys: 2, lua: script });
}

/** False when the stream is full. */
export async function enqueue(redis: Redis, request: EnqueueRequest): Promise<boolean> {
  const { requests, replies, maxQueue, header, payload, signature } = request;
  const connection = redis as WithEnqueue;
  return (
    (await connection.lecternEnqueue(requests, replies, maxQueue, replyStreamLifeMs, header, payload, signature)) === 1
  );
}
