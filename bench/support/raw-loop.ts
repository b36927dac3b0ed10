import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { injectTrace, SpanKind, withSpan } from '@lectern/telemetry';
import { Redis } from 'ioredis';
import { z } from 'zod';

/** Fields of a stream entry: names and values in turns. */
type Fields = (string | Buffer)[];
interface Packet {
  id: string;
  text: string;
  traceparent: string;
}

/** How a raw loop packs what it sends. */
export interface Packing {
  pack(packet: Packet): Fields;
  /** Throws when the fields are not what pack makes. */
  unpack(fields: Buffer[]): Packet;
}

/** The text as it is. */
export const barePacking: Packing = {
  pack: ({ id, text, traceparent }) => ['i', id, 'p', text, 't', traceparent],
  unpack: (fields) => ({ id: String(fields[1]), text: String(fields[3]), traceparent: String(fields[5]) }),
};

const header = z.object({
  id: z.uuid(),
  caller: z.object({ tenantId: z.uuid(), subject: z.string(), scopes: z.array(z.string()), requestId: z.string() }),
  traceparent: z.string(),
  expiresAt: z.number(),
});
const body = z.object({ text: z.string() });
const caller = { tenantId: randomUUID(), subject: 'bench', scopes: [], requestId: 'bench' };
const sign = (head: string | Buffer, payload: string | Buffer): Buffer =>
  createHmac('sha256', 'a key of at least thirty-two characters').update(head).update(payload).digest();

/** What any transport between services owes here: a header and a payload against their schemas, and a signature. */
export const signedPacking: Packing = {
  pack({ id, text, traceparent }) {
    const head = JSON.stringify({ id, caller, traceparent, expiresAt: Date.now() + 10_000 });
    const payload = JSON.stringify(body.parse({ text }));
    return ['h', head, 'p', payload, 's', sign(head, payload)];
  },
  unpack([, head, , payload, , signature]) {
    if (!head || !payload || !signature || !timingSafeEqual(sign(head, payload), signature)) throw new Error('forged');
    return { ...header.parse(JSON.parse(String(head))), ...body.parse(JSON.parse(String(payload))) };
  },
};

type Batch = [string, [Buffer, Buffer[]][]][] | null;

/** Reads, answers with what was sent and acknowledges, and nothing else. */
export async function serveRawLoop(url: string, prefix: string, count: number, packing: Packing): Promise<never> {
  const [reader, writer] = [new Redis(url), new Redis(url)];
  const requests = `${prefix}:req`;
  await reader.xgroup('CREATE', requests, 'raw', '0', 'MKSTREAM').catch(() => undefined);
  process.send?.('ready');
  const answer = ([entry, fields]: [Buffer, Buffer[]]): Promise<unknown> => {
    const packet = packing.unpack(fields);
    return withSpan('raw', { kind: SpanKind.SERVER, parent: { traceparent: packet.traceparent } }, () =>
      writer
        .multi()
        .xadd(`${prefix}:rep`, '*', ...packing.pack(packet))
        .xack(requests, 'raw', entry)
        .xdel(requests, entry)
        .exec(),
    );
  };
  const read = ['GROUP', 'raw', 'one', 'COUNT', count, 'BLOCK', 1000, 'STREAMS', requests, '>'] as const;
  for (;;) {
    const batch = (await reader.xreadgroupBuffer(...read)) as Batch;
    for (const entry of batch?.[0]?.[1] ?? []) void answer(entry);
  }
}

export interface RawLoop {
  /** Resolves with the text that came back. */
  send(text: string): Promise<string>;
  close(): Promise<void>;
}

/** The client of a raw loop: one request stream, one reply stream. */
export function openRawLoop(url: string, prefix: string, packing: Packing): RawLoop {
  const [writer, reader] = [new Redis(url), new Redis(url)];
  const waiting = new Map<string, (text: string) => void>();
  const closing = new AbortController();
  const reading = (async () => {
    let last = '0-0';
    while (!closing.signal.aborted) {
      const answer = await reader.xreadBuffer('COUNT', 256, 'BLOCK', 200, 'STREAMS', `${prefix}:rep`, last);
      for (const [entry, fields] of answer?.[0]?.[1] ?? []) {
        last = entry.toString();
        const { id, text } = packing.unpack(fields);
        waiting.get(id)?.(text);
        waiting.delete(id);
      }
    }
  })();
  const exchange = (text: string): Promise<string> =>
    new Promise((resolve) => {
      const id = randomUUID();
      waiting.set(id, resolve);
      const { traceparent = '' } = injectTrace();
      void writer.xadd(`${prefix}:req`, '*', ...packing.pack({ id, text, traceparent }));
    });
  return {
    send: (text) => withSpan('call raw', { kind: SpanKind.CLIENT }, () => exchange(text)),
    async close() {
      closing.abort();
      await reading;
      writer.disconnect();
      reader.disconnect();
    },
  };
}
