import type { Redis } from 'ioredis';

/** Milliseconds of life of a reply stream that its client does not use. */
const replyStreamLifeMs = 120_000;

/** Keeps the caller's reply stream alive, which replies never create; 1 when it was not there. */
const keepReplies = `
local made = 0
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('XADD', KEYS[1], '*', 'n', '')
  made = 1
end
redis.call('PEXPIRE', KEYS[1], ${replyStreamLifeMs})
`;

/** KEYS: replies. */
const keepScript = `${keepReplies}
return made
`;

/**
 * Adds a request unless its stream is full. KEYS: replies, requests. ARGV: bound of the stream, header, payload, signature.
 * Returns whether the request was added, and whether the reply stream had to be made.
 */
const enqueueScript = `${keepReplies}
if redis.call('XLEN', KEYS[2]) >= tonumber(ARGV[1]) then return {0, made} end
redis.call('XADD', KEYS[2], '*', 'h', ARGV[2], 'p', ARGV[3], 's', ARGV[4])
return {1, made}
`;

export interface EnqueueRequest {
  requests: string;
  replies: string;
  maxQueue: number;
  header: string;
  payload: Buffer;
  signature: Buffer;
}

export interface Enqueued {
  /** False when the stream is full. */
  added: boolean;
  /** True when the reply stream was not there, as after Redis was emptied. */
  repliesMade: boolean;
}

type WithScripts = Redis & {
  lecternEnqueue(...values: (string | number | Buffer)[]): Promise<[number, number]>;
  lecternKeep(replies: string): Promise<number>;
};

/** Teaches a connection the scripts. */
export function defineEnqueue(redis: Redis): void {
  redis.defineCommand('lecternEnqueue', { numberOfKeys: 2, lua: enqueueScript });
  redis.defineCommand('lecternKeep', { numberOfKeys: 1, lua: keepScript });
}

export async function enqueue(redis: Redis, request: EnqueueRequest): Promise<Enqueued> {
  const { requests, replies, maxQueue, header, payload, signature } = request;
  const [added, made] = await (redis as WithScripts).lecternEnqueue(
    replies,
    requests,
    maxQueue,
    header,
    payload,
    signature,
  );
  return { added: added === 1, repliesMade: made === 1 };
}

/** Keeps the reply stream without a request. True when it was not there. */
export async function keepReplyStream(redis: Redis, replies: string): Promise<boolean> {
  return (await (redis as WithScripts).lecternKeep(replies)) === 1;
}
