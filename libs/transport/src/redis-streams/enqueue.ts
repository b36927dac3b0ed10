import type { Redis } from 'ioredis';
import { Gatherer } from './gatherer.js';
import { LuaScript } from './lua-script.js';
import { packetField } from './packet.js';
import type { PendingRequest } from './pending-requests.js';

/** Milliseconds of life of a reply stream that its client does not use. */
const replyStreamLifeMs = 120_000;

/** Keeps the caller's reply stream alive, which replies never create; 1 when it was not there. KEYS: replies. */
const keepReplies = `
local made = 0
if redis.call('PEXPIRE', KEYS[1], ${replyStreamLifeMs}) == 0 then
  redis.call('XADD', KEYS[1], '*', 'n', '')
  redis.call('PEXPIRE', KEYS[1], ${replyStreamLifeMs})
  made = 1
end
`;

const keepScript = new LuaScript<number>(
  1,
  `${keepReplies}
return made
`,
);

/**
 * Adds the requests that still fit into their stream. They come first, since Redis refuses a script for want of memory
 * only before its first write. KEYS: replies, requests. ARGV: bound of the stream, then the packets. Returns how many were
 * added, and whether the reply stream had to be made.
 */
const enqueueScript = new LuaScript<[added: number, made: number]>(
  2,
  `
local room = tonumber(ARGV[1]) - redis.call('XLEN', KEYS[2])
local added = 0
for at = 2, #ARGV do
  if added >= room then break end
  redis.call('XADD', KEYS[2], '*', '${packetField}', ARGV[at])
  added = added + 1
end
${keepReplies}
return {added, made}
`,
);

export interface OutgoingPacket {
  /** Key of the stream that takes it. */
  requests: string;
  /** Sealed. */
  bytes: Buffer;
}

/** The connection was lost before the request was written to it. */
export class NotWritten extends Error {}

interface Waiting {
  packet: OutgoingPacket;
  pending: PendingRequest;
  resolve(added: boolean): void;
  reject(error: unknown): void;
}

export interface EnqueuerOptions {
  /** Never blocks. */
  redis: Redis;
  /** Key of the caller's reply stream. */
  replies: string;
  /** Most requests that a stream holds. */
  maxQueue: number;
  /** The reply stream was not there, as after Redis was emptied. Called before the requests of the moment resolve. */
  onRepliesMade: () => void;
}

/** Puts requests into their streams, those of one turn of the event loop together. */
export class Enqueuer {
  private readonly gatherer: Gatherer<Waiting>;

  constructor(private readonly options: EnqueuerOptions) {
    this.gatherer = new Gatherer(options.redis, (waiting, redis) => void this.send(waiting, redis));
  }

  /**
   * Resolves with false when the stream is full. Rejects with NotWritten, or with what Redis or the connection says.
   * Notes in the pending request how far it came; one that was given up before it left stays here.
   */
  add(packet: OutgoingPacket, pending: PendingRequest): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.gatherer.add(packet.requests, { packet, pending, resolve, reject }, packet.bytes.length);
    });
  }

  /** Has what callers have asked in this turn leave with a read. */
  sendWith<Answer>(connection: Redis, read: () => Answer): Answer {
    return this.gatherer.sendWith(connection, read);
  }

  /** Keeps the reply stream without a request. */
  async keepReplies(): Promise<void> {
    const { redis, replies, onRepliesMade } = this.options;
    if ((await keepScript.run(redis, redis, replies)) === 1) onRepliesMade();
  }

  private async send(waiting: Waiting[], redis: Redis): Promise<void> {
    const { redis: commands, replies, maxQueue, onRepliesMade } = this.options;
    const leaving = waiting.filter(({ pending }) => !pending.end.reason);
    const packets = leaving.map(({ packet }) => packet.bytes);
    try {
      if (redis.status !== 'ready') throw new NotWritten();
      if (leaving.length === 0) return;
      for (const { pending } of leaving) pending.sent = true;
      const { requests } = leaving[0]!.packet;
      const [added, made] = await enqueueScript.run(redis, commands, replies, requests, maxQueue, ...packets);
      if (made === 1) onRepliesMade();
      for (const [index, { pending, resolve }] of leaving.entries()) {
        pending.queued = index < added;
        resolve(pending.queued);
      }
    } catch (error) {
      for (const { reject } of leaving) reject(error);
    }
  }
}
