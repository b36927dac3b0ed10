// What the transport costs: requests a second and latency between one client and one server process over Redis, beside a
// raw loop of the same shape in the same run. npm run bench -- transport [REDIS_URL]
import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { defineOperation, type Caller } from '@lectern/contracts';
import { createLogger, createMetrics } from '@lectern/telemetry';
import { createRedisTransport, type Transport } from '@lectern/transport';
import { Redis } from 'ioredis';
import { z } from 'zod';

const url = process.argv[2]?.startsWith('redis') ? process.argv[2] : 'redis://127.0.0.1:6379';
const prefix = process.env.BENCH_PREFIX ?? `lectern-bench-${randomUUID()}`;
const payload = 'x'.repeat(2048);
const readCount = 32;

const echo = defineOperation({
  name: 'retrieval.bench_echo',
  lane: 'interactive',
  retry: 'safe',
  timeoutMs: 10_000,
  request: z.object({ text: z.string() }),
  response: z.object({ text: z.string() }),
});
const caller: Caller = { tenantId: randomUUID(), subject: 'bench', scopes: [], requestId: 'bench' };

type Send = () => Promise<unknown>;
interface Contender {
  send: Send;
  close(): Promise<void>;
}
interface Figures {
  perSecond: number;
  p50: number;
}

function openTransport(): Promise<Transport> {
  return createRedisTransport({
    url,
    prefix,
    key: 'a key of at least thirty-two characters',
    concurrency: 64,
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
}

/** Reads, answers and acknowledges, and nothing else. */
async function serveRaw(): Promise<void> {
  const [reader, writer] = [new Redis(url), new Redis(url)];
  const requests = `${prefix}:raw:req`;
  await reader.xgroup('CREATE', requests, 'raw', '0', 'MKSTREAM').catch(() => undefined);
  process.send?.('ready');
  for (;;) {
    const answer = (await reader.xreadgroupBuffer(
      'GROUP',
      'raw',
      'one',
      'COUNT',
      readCount,
      'BLOCK',
      1000,
      'STREAMS',
      requests,
      '>',
    )) as [Buffer, [Buffer, Buffer[]][]][] | null;
    for (const [id, fields] of answer?.[0]?.[1] ?? []) {
      void writer
        .multi()
        .xadd(`${prefix}:raw:rep`, '*', 'i', fields[1]!, 'p', fields[3]!)
        .xack(requests, 'raw', id)
        .xdel(requests, id)
        .exec();
    }
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
  return {
    send: () =>
      new Promise<void>((resolve) => {
        next += 1;
        waiting.set(String(next), resolve);
        void writer.xadd(`${prefix}:raw:req`, '*', 'i', String(next), 'p', payload);
      }),
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

async function measure(send: Send, concurrency: number, count: number): Promise<Figures> {
  const latencies: number[] = [];
  const numbers = Array.from({ length: count }).keys();
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const _ of numbers) {
        const sentAt = performance.now();
        await send();
        latencies.push(performance.now() - sentAt);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  return { perSecond: count / seconds, p50: latencies.toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? Number.NaN };
}

function startServer(role: string): Promise<ChildProcess> {
  const child = fork(fileURLToPath(import.meta.url), [url], {
    env: { ...process.env, BENCH_ROLE: role, BENCH_PREFIX: prefix },
  });
  return new Promise((resolve) => child.once('message', () => resolve(child)));
}

async function compare(): Promise<void> {
  const contenders: Record<string, () => Promise<Contender>> = { raw: rawContender, transport: transportContender };
  const figures: Record<string, { one: Figures; many: Figures }> = {};
  for (const [name, open] of Object.entries(contenders)) {
    const server = await startServer(name);
    const contender = await open();
    await measure(contender.send, 32, 3000);
    figures[name] = { one: await measure(contender.send, 1, 3000), many: await measure(contender.send, 32, 30_000) };
    await contender.close();
    server.kill('SIGKILL');
  }
  const [raw, transport] = [figures.raw!, figures.transport!];
  const row = (label: string, { one, many }: { one: Figures; many: Figures }) =>
    `${label.padEnd(10)} p50 at 1: ${one.p50.toFixed(3)} ms   at 32: ${many.perSecond.toFixed(0)} requests/s, p50 ${many.p50.toFixed(2)} ms`;
  console.log(row('raw loop', raw));
  console.log(row('transport', transport));
  console.log(`p50 at 1: ${(transport.one.p50 / raw.one.p50).toFixed(2)} times the raw loop (at most 1.3 is the aim)`);
  console.log(
    `throughput at 32: ${(transport.many.perSecond / raw.many.perSecond).toFixed(2)} of the raw loop (at least 0.7 is the aim)`,
  );
  const redis = new Redis(url);
  const leftover = await redis.keys(`${prefix}*`);
  if (leftover.length > 0) await redis.unlink(...leftover);
  redis.disconnect();
}

if (process.env.BENCH_ROLE === 'raw') await serveRaw();
else if (process.env.BENCH_ROLE === 'transport') {
  await serveTransport();
  process.send?.('ready');
} else await compare();
