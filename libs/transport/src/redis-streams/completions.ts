import type { Redis } from 'ioredis';
import type { Reply } from '../channel.js';
import { Gatherer } from './gatherer.js';
import { group } from './keys.js';
import { LuaScript } from './lua-script.js';
import { packetField, type ReplyHeader } from './packet.js';
import type { Signer } from './signer.js';

/**
 * Replies, acknowledgement and removal in one step. Replies that Redis refuses leave their requests pending, unlike in
 * MULTI. KEYS: requests, replies. ARGV: packet, then the entries of the requests.
 */
const script = new LuaScript<null>(
  2,
  `
redis.call('XADD', KEYS[2], 'NOMKSTREAM', '*', '${packetField}', ARGV[1])
redis.call('XACK', KEYS[1], '${group}', unpack(ARGV, 2))
redis.call('XDEL', KEYS[1], unpack(ARGV, 2))
`,
);

export interface AnsweredRequest {
  /** Key of the stream that holds the request. */
  requests: string;
  /** Entry of the request. */
  entryId: string;
  /** Id of the request. */
  id: string;
  /** Key of the stream that takes the reply. */
  replies: string;
  reply: Reply;
}

interface Waiting extends AnsweredRequest {
  resolve(): void;
  reject(error: unknown): void;
}

const nothing = Buffer.alloc(0);

/** Sends replies, those that one client gets in one turn of the event loop as one packet. */
export class Completions {
  private readonly gatherer: Gatherer<Waiting>;

  constructor(
    private readonly redis: Redis,
    private readonly signer: Signer,
  ) {
    this.gatherer = new Gatherer(redis, (answered, connection) => void this.send(answered, connection));
  }

  /** Rejects when the reply could not be sent; the request is pending then. */
  add(answered: AnsweredRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      const { requests, replies, reply } = answered;
      this.gatherer.add(`${requests} ${replies}`, { ...answered, resolve, reject }, payloadOf(reply).length);
    });
  }

  /** Has what was answered in this turn leave with a read. */
  sendWith<Answer>(connection: Redis, read: () => Answer): Answer {
    return this.gatherer.sendWith(connection, read);
  }

  private async send(answered: Waiting[], connection: Redis): Promise<void> {
    try {
      const { requests, replies } = answered[0]!;
      const header = JSON.stringify(answered.map(describe));
      const payload = answered.length === 1 ? payloadOf(answered[0]!.reply) : joined(answered);
      const packet = this.signer.seal('reply', header, payload);
      const entries = answered.map(({ entryId }) => entryId);
      await script.run(connection, this.redis, requests, replies, packet, ...entries);
      for (const { resolve } of answered) resolve();
    } catch (error) {
      for (const { reject } of answered) reject(error);
    }
  }
}

function describe({ id, reply }: AnsweredRequest): ReplyHeader {
  return reply.ok ? { id, bytes: reply.payload.length } : { id, bytes: 0, error: reply.error };
}

function payloadOf(reply: Reply): Buffer {
  return reply.ok ? reply.payload : nothing;
}

function joined(answered: AnsweredRequest[]): Buffer {
  return Buffer.concat(answered.map(({ reply }) => payloadOf(reply)));
}
