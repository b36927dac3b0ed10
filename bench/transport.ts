// What the transport costs: requests a second and latency between one client and one server process over Redis, beside a
// raw loop of the same shape: a stream of requests, one of replies, the same counts and MULTI, 5 % of the calls traced.
// Both take turns in one run; ratios are medians over the rounds. npm run bench -- transport [REDIS_URL]
import '@lectern/telemetry/register';
import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { defineOperation, type Caller } from '@lectern/contracts';
import { createLogger, createMetrics, injectTrace, SpanKind, withSpan } from '@lectern/telemetry';
import { createRedisTransport, type Transport } from '@lectern/transport';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { median, runLoad, summarise } from './support/load.js';

const url = process.argv[2]?.startsWith('redis') ? process.argv[2] : 'redis://127.0.0.1:6379';
const prefix = process.env.BENCH_PREFIX ?? `lectern-bench-${randomUUID()}`;
const payload = 'x'.repeat(2048);
/** Requests that a server runs, and so reads, at once. */
const concurrency = 64;
const rounds = 7;

const echo = defineOperation({
  name: 'retrieval.bench_echo',
  lane: 'interactive',
  retry: 'safe',
  timeoutMs: 10_000,
  request: z.object({ text: z.string() }),
  response: z.object({ text: z.string() }),
});
const caller: Caller = { tenantId: randomUUID(), subject: 'bench', scopes: [], requestId: 'bench' };

interface Contender {
  send: () => Promise<unknown>;
  close(): Promise<void>;
}
type Figures = ReturnType<typeof summarise>;

function openTransport(): Promise<Transport> {
  return createRedisTransport({
    url,
    prefix,
    key: 'a key of at least thirty-two characters',
    concurrency,
    maxQueue: 10_000,
    graceMs: 1000,
    logger: createLogger({ service: 'bench', level: 'silent' }),
    metrics: createMetrics('bench'),
  });
}

async function serveTransport(): Promise<void> {
  const transport = await openTransport();
  const server = transport.serverFor('retrieval');
  server.addHandler(echo.name, async (request: { text: string }) => request, false, { operation: echo });
  await new Promise<void>((resolve) => server.listen(() => resolve()));
  process.send?.('ready');
}

type Batch = [string, [Buffer, Buffer[]][]][] | null;

/** Reads, answers and acknowledges, and nothing else. */
async function serveRaw(): Promise<void> {
  const [reader, writer] = [new Redis(url), new Redis(url)];
  const requests = `${prefix}:raw:req`;
  await reader.xgroup('CREATE', requests, 'raw', '0', 'MKSTREAM').catch(() => undefined);
  process.send?.('ready');
  const answer = ([id, [, number, , text, , traceparent]]: [Buffer, Buffer[]]): Promise<unknown> =>
    withSpan('raw', { kind: SpanKind.SERVER, parent: { traceparent: String(traceparent) } }, () =>
      writer
        .multi()
        .xadd(`${prefix}:raw:rep`, '*', 'i', number!, 'p', text!)
        .xack(requests, 'raw', id)
        .xdel(requests, id)
        .exec(),
    );
  const read = ['GROUP', 'raw', 'one', 'COUNT', concurrency, 'BLOCK', 1000, 'STREAMS', requests, '>'] as const;
  for (;;) {
    const batch = (await reader.xreadgroupBuffer(...read)) as Batch;
    for (const entry of batch?.[0]?.[1] ?? []) void answer(entry);
  }
}

async function rawContender(): Promise<Contender> {
  const [writer, reader] = [new Redis(url), new Redis(url)];
  const waiting = new Map<string, () => void>();
  let last = '0-0';
  let next = 0;
  const closing = new AbortController();
  const reading = (async () => {
    while (!closing.signal.aborted) {
      const answer = await reader.xreadBuffer('COUNT', 256, 'BLOCK', 200, 'STREAMS', `${prefix}:raw:rep`, last);
      for (const [id, fields] of answer?.[0]?.[1] ?? []) {
        last = id.toString();
        const key = String(fields[1]);
        waiting.get(key)?.();
        waiting.delete(key);
      }
    }
  })();
  const send = (): Promise<void> =>
    new Promise<void>((resolve) => {
      next += 1;
      waiting.set(String(next), resolve);
      const { traceparent = '' } = injectTrace();
      void writer.xadd(`${prefix}:raw:req`, '*', 'i', String(next), 'p', payload, 't', traceparent);
    });
  return {
    send: () => withSpan('call raw', { kind: SpanKind.CLIENT }, send),
    async close() {
      closing.abort();
      await reading;
      writer.disconnect();
      reader.disconnect();
    },
  };
}

async function transportContender(): Promise<Contender> {
  const transport = await openTransport();
  return {
    send: () => transport.client.call(echo, { text: payload }, { caller }),
    close: () => transport.close(),
  };
}

async function measure({ send }: Contender, connections: number, count: number): Promise<Figures> {
  return summarise(await runLoad(Array.from({ length: count }), connections, send));
}

function startServer(role: string): Promise<ChildProcess> {
  const child = fork(fileURLToPath(import.meta.url), [url], {
    env: { ...process.env, BENCH_ROLE: role, BENCH_PREFIX: prefix },
  });
  return new Promise((resolve) => child.once('message', () => resolve(child)));
}

function print(label: string, unit: string, raw: number[], transport: number[], aim: string): void {
  const ratios = transport.map((value, round) => value / raw[round]!);
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  console.log(
    `${label}: raw loop ${median(raw).toPrecision(3)} ${unit}, transport ${median(transport).toPrecision(3)} ${unit}`,
  );
  console.log(`  ratio ${median(ratios).toFixed(2)} (${range} over ${rounds} rounds; the aim is ${aim})`);
}

async function compare(): Promise<void> {
  const servers = [await startServer('raw'), await startServer('transport')];
  const [raw, transport] = [await rawContender(), await transportContender()];
  for (const contender of [raw, transport]) await measure(contender, 32, 5000);
  const one: Figures[][] = [];
  const many: Figures[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    one.push([await measure(raw, 1, 1000), await measure(transport, 1, 1000)]);
    many.push([await measure(raw, 32, 8000), await measure(transport, 32, 8000)]);
  }
  const column = (table: Figures[][], contender: number, figure: keyof Figures): number[] =>
    table.map((row) => row[contender]![figure]);
  print('p50 at 1 request at a time', 'ms', column(one, 0, 'p50'), column(one, 1, 'p50'), 'at most 1.3');
  print('requests a second at 32', '/s', column(many, 0, 'perSecond'), column(many, 1, 'perSecond'), 'at least 0.7');
  await Promise.all([raw.close(), transport.close()]);
  for (const server of servers) server.kill('SIGKILL');
  const redis = new Redis(url);
  const leftover = await redis.keys(`${prefix}*`);
  if (leftover.length > 0) await redis.unlink(...leftover);
  redis.disconnect();
}

if (process.env.BENCH_ROLE === 'raw') await serveRaw();
else if (process.env.BENCH_ROLE === 'transport') await serveTransport();
else await compare();
