/**
 * Ten minutes (`--minutes N`) at half of what the stack can take: searches, reads, uploads and deletes through MCP clients,
 * while the memory of each process, the keys, memory and streams of a Redis of its own, and the connections of its own
 * database are watched. Ends with 1 when one of them grows after the warm-up, or when a call failed.
 */
import { parseArgs } from 'node:util';
import { connectClient, quantile, startTestStack, type TestStack } from '@lectern/e2e';
import { startRedis } from '@lectern/testing';
import { Redis } from 'ioredis';
import pg from 'pg';
import { floorOf, judge, type Sample } from './support/flatness.js';
import { SoakLoad, type Call } from './support/soak-load.js';
import { Sampler, series } from './support/soak-samples.js';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const seconds = Number(values.minutes) * 60;
const connections = 16;
const burstSeconds = 20;
/** The judgement begins later: until then pools and heaps fill, and the marks of deletes reach their age of a minute. */
const warmUpSeconds = Math.max(90, seconds / 4);
if (seconds < 2 * warmUpSeconds) throw new Error('takes at least three minutes');
/** So few vectors of questions are kept that the cache is full, as after a day, before the judgement begins. */
const cacheEntries = 200;
/** Megabytes. On a machine with much memory V8 would let garbage grow for longer than the run. */
const heapLimit = 128;

// Its keys and its memory are those of this run alone.
const redisServer = await startRedis();
process.env.TEST_REDIS_URL = redisServer.url;
const stack = await startTestStack({
  environment: {
    EMBEDDING_CHILDREN: '0',
    EMBEDDING_CACHE_ENTRIES: String(cacheEntries),
    LOG_LEVEL: 'warn',
    NODE_OPTIONS: `--max-old-space-size=${heapLimit}`,
  },
});
const redis = new Redis(redisServer.url);
const postgres = new pg.Client({ connectionString: stack.postgres.adminUrl });
await postgres.connect();
try {
  await soak(stack);
} finally {
  await postgres.end();
  redis.disconnect();
  await stack.close();
  await redisServer.close();
}

async function soak({ server, redis: { prefix } }: TestStack): Promise<void> {
  const clients = await Promise.all(
    Array.from({ length: connections }, () =>
      connectClient(server.urls[0]!, server.token, 'modern', { 'x-mcp-confirm': server.token }),
    ),
  );
  const load = new SoakLoad(clients);
  await load.prepare();
  const first = await load.run(burstSeconds / 2);
  const burst = await load.run(burstSeconds);
  const rate = burst.length / burstSeconds;
  console.log(
    `${rate.toFixed(1)} calls/s as fast as ${connections} connections go; ${seconds / 60} minutes at half of it. ` +
      `At most ${cacheEntries} vectors of questions are kept, so that their cache is full from the beginning, and the ` +
      `heaps are limited to ${heapLimit} MB, so that garbage is collected soon.`,
  );
  const sampler = new Sampler({ server, redis, postgres, prefix }, Math.max(1_000, (seconds * 1000) / 200));
  const startedAt = performance.now();
  const [calls] = await Promise.all([load.run(seconds, rate / 2).finally(() => sampler.stop()), sampler.run()]);
  await Promise.all(clients.map((client) => client.close()));
  const failed = printCalls([...first, ...burst, ...calls]);
  const grown = printSeries(sampler.samples, startedAt + warmUpSeconds * 1000);
  const restarted = /starting it again/.test(server.log());
  if (restarted) console.log(server.log());
  console.log(failed || grown || restarted ? 'NOT STEADY' : 'steady: nothing grows and no call failed');
  if (failed || grown || restarted) process.exitCode = 1;
}

function printCalls(calls: readonly Call[]): boolean {
  for (const [kind, some] of Map.groupBy(calls, (call) => call.kind)) {
    const latencies = some.map(({ latency }) => latency);
    const failures = some.flatMap(({ error }) => error ?? []);
    console.log(
      `${kind.padEnd(8)} ${String(some.length).padStart(7)} calls, p50 ${quantile(latencies, 0.5).toFixed(0)} ms, ` +
        `p99 ${quantile(latencies, 0.99).toFixed(0)} ms, ${failures.length} failed`,
    );
    for (const error of new Set(failures.slice(0, 5))) console.log(`  ${error}`);
  }
  return calls.some(({ error }) => error !== undefined);
}

/** One line for each series; true when one grows that must not. */
function printSeries(samples: ReadonlyMap<string, readonly Sample[]>, from: number): boolean {
  console.log(`\n${'after the warm-up'.padEnd(28)}    early     late    trend  allowed`);
  let grown = false;
  for (const [name, { tolerance, floor, note }] of Object.entries(series)) {
    const late = samples.get(name)!.filter(({ at }) => at >= from);
    const judged = floor ? floorOf(late, 10) : late;
    const verdict = judge(judged, tolerance ?? { share: 0, absolute: Infinity });
    const cell = (value: number) => value.toFixed(1).padStart(8);
    const end = tolerance ? `${cell(verdict.allowed)}  ${verdict.isFlat ? 'flat' : 'GROWS'}` : `       –  ${note}`;
    console.log(`${name.padEnd(28)} ${cell(verdict.early)} ${cell(verdict.late)} ${cell(verdict.growth)} ${end}`);
    grown ||= !verdict.isFlat;
  }
  return grown;
}
