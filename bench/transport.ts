// What the transport costs: requests a second and latency between one client and one server process over Redis, beside a
// raw loop of the same shape: a stream of requests, one of replies, the same counts, MULTI, 5 % of the calls traced. A
// second raw loop also signs and parses what it carries, which is the least that services owe each other here. All take
// turns in one run; ratios are medians over the rounds. npm run bench -- transport [REDIS_URL]
import '@lectern/telemetry/register';
import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { defineOperation, type Caller } from '@lectern/contracts';
import { createLogger, createMetrics } from '@lectern/telemetry';
import { createRedisTransport, type Transport } from '@lectern/transport';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { median, runLoad, summarise } from './support/load.js';
import { barePacking, openRawLoop, serveRawLoop, signedPacking } from './support/raw-loop.js';

const url = process.argv[2]?.startsWith('redis') ? process.argv[2] : 'redis://127.0.0.1:6379';
const prefix = process.env.BENCH_PREFIX ?? `lectern-bench-${randomUUID()}`;
const text = 'x'.repeat(2048);
/** Requests that a server runs, and so reads, at once. */
const concurrency = 64;
const rounds = 40;
/** What it takes until the engine has compiled what runs, at both widths, and rates stop rising. */
const warmUp = [
  { width: 32, count: 20_000 },
  { width: 1, count: 10_000 },
];

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
  send: (text: string) => Promise<unknown>;
  close(): Promise<void>;
}

/** Each way to carry a request: its server half, which runs in a process of its own, and its client half. */
const contenders: Record<string, { serve: () => Promise<void>; open: () => Promise<Contender> }> = {
  'raw loop': {
    serve: () => serveRawLoop(url, `${prefix}:raw`, concurrency, barePacking),
    open: async () => openRawLoop(url, `${prefix}:raw`, barePacking),
  },
  'signed and parsed raw loop': {
    serve: () => serveRawLoop(url, `${prefix}:signed`, concurrency, signedPacking),
    open: async () => openRawLoop(url, `${prefix}:signed`, signedPacking),
  },
  transport: {
    async serve() {
      const server = (await openTransport()).serverFor('retrieval');
      server.addHandler(echo.name, async (request: { text: string }) => request, false, { operation: echo });
      await new Promise<void>((resolve) => server.listen(() => resolve()));
      process.send?.('ready');
    },
    async open() {
      const transport = await openTransport();
      return {
        send: () => transport.client.call(echo, { text }, { caller }),
        close: () => transport.close(),
      };
    },
  },
};
const names = Object.keys(contenders);

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

function startServer(name: string): Promise<ChildProcess> {
  const child = fork(fileURLToPath(import.meta.url), [url], {
    env: { ...process.env, BENCH_CONTENDER: name, BENCH_PREFIX: prefix },
  });
  return new Promise((resolve) => child.once('message', () => resolve(child)));
}

/** Figures of every contender, a row for each round. */
async function measure(
  clients: Contender[],
  width: number,
  count: number,
  figure: 'p50' | 'perSecond',
): Promise<number[][]> {
  const rows: number[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const row: number[] = [];
    // Another one is first in every round.
    for (const at of clients.keys()) {
      const index = (at + round) % clients.length;
      const load = await runLoad(Array.from({ length: count }), width, () => clients[index]!.send(text));
      row[index] = summarise(load)[figure];
    }
    rows.push(row);
  }
  return rows;
}

function print(label: string, unit: string, rows: number[][], aim: string): void {
  console.log(`${label} (aim: ${aim} the raw loop)`);
  for (const [index, name] of names.entries()) {
    const ratios = rows.map((row) => row[index]! / row[0]!).toSorted((a, b) => a - b);
    const [low, high] = [ratios[Math.floor(rounds / 4)]!, ratios[Math.floor((3 * rounds) / 4)]!];
    const value = `${median(rows.map((row) => row[index]!)).toPrecision(3)} ${unit}`;
    const ratio = `${median(ratios).toFixed(2)} of the raw loop (half of the rounds: ${low.toFixed(2)} to ${high.toFixed(2)})`;
    console.log(`  ${name}: ${value}${index === 0 ? '' : `, ${ratio}`}`);
  }
}

async function compare(): Promise<void> {
  const servers = await Promise.all(names.map(startServer));
  const clients = await Promise.all(names.map((name) => contenders[name]!.open()));
  for (const { send } of clients) {
    for (const { width, count } of warmUp) await runLoad(Array.from({ length: count }), width, () => send(text));
  }
  print('p50 at 1 request at a time', 'ms', await measure(clients, 1, 150, 'p50'), 'at most 1.3 of');
  print('requests a second at 32', '/s', await measure(clients, 32, 2000, 'perSecond'), 'at least 0.7 of');
  for (const client of clients) await client.close();
  for (const server of servers) server.kill('SIGKILL');
  const redis = new Redis(url);
  const leftover = await redis.keys(`${prefix}*`);
  if (leftover.length > 0) await redis.unlink(...leftover);
  redis.disconnect();
}

await (contenders[process.env.BENCH_CONTENDER ?? '']?.serve ?? compare)();
