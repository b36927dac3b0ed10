/**
 * A search through everything (MCP client, gateway, Redis Streams, retrieval, embedding, PostgreSQL and back), beside its
 * SQL statement alone with vectors computed before, in turns: over 10,000 chunks (`--chunks N`), at 1, 8 and 32
 * connections. No question comes twice. Says where the time goes, by the traces of one call in ten, and which processes
 * the processor works for (on Linux). Runs a stack of its own on the test servers.
 */
import { parseArgs } from 'node:util';
import type { Client } from '@modelcontextprotocol/client';
import { callTool, connectClient, startTestStack, startTraceCollector } from '@lectern/e2e';
import { withAdmin } from '@lectern/database';
import { addUsed, describeUsed, processorTime, type ProcessorTime } from './support/cpu.js';
import { embedAll, openEmbedding } from './support/embedding-alone.js';
import { joinLoads, runLoad, summarise, type Load } from './support/load.js';
import { sumOf } from './support/metrics.js';
import { openRawSearch, type RawSearch } from './support/raw-search.js';
import { multiply, seed, sourceTexts } from './support/search-corpus.js';
import { dissect, meanParts } from './support/time-shares.js';

const { values } = parseArgs({ options: { chunks: { type: 'string', default: '10000' } } });
const chunkCount = Number(values.chunks);
const rounds = 4;
/** Connections, and questions of each round. */
const levels = [
  { width: 1, questions: 80 },
  { width: 8, questions: 200 },
  { width: 32, questions: 270 },
] as const;
const warmUpQuestions = 160;

/** All rounds of a number of connections, and the times in milliseconds since the epoch at which its searches ran. */
interface Level {
  through: Load[];
  raw: Load[];
  windows: { from: number; to: number }[];
  /** Of the searches through everything. */
  used: ProcessorTime;
}

const source = sourceTexts();
console.log(
  `${chunkCount} chunks: ${source.passages.length} from ${source.origin}, embedded by the shipped model, and mixtures of ` +
    'their sentences with the mean of their vectors and some noise; written as rows, not imported.',
);
const embedding = await openEmbedding({ children: 2 });
const passages = await embedAll(source.passages, embedding.embedPassage);
const questions = await embedAll(source.questions, embedding.embedQuery);
await embedding.close();
const vectors = new Map(source.questions.map((question, index) => [question, questions.vectors[index]!]));

const collector = await startTraceCollector();
const stack = await startTestStack({
  // One embedding child a core, as by default.
  environment: { EMBEDDING_CHILDREN: '0', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRACE_RATIO: '0.1' },
});
try {
  await compare();
} finally {
  await stack.close();
  await collector.close();
}

async function compare(): Promise<void> {
  const { server, postgres } = stack;
  const clients = await Promise.all(Array.from({ length: 32 }, () => connectClient(server.urls[0]!, server.token)));
  const tenantId = await fill(clients[0]!);
  const raw = await openRawSearch(postgres, tenantId, vectors);
  const figures = await measure(clients, raw);
  await raw.close();
  await Promise.all(clients.map((client) => client.close()));
  // Spans are sent every five seconds.
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  for (const [at, { width }] of levels.entries()) print(width, figures[at]!);
  const [hits, misses] = [await cached('hit'), await cached('miss')];
  console.log(`vectors of questions: ${misses} computed, ${hits} from the cache`);
  if (hits > 0) throw new Error('a question came twice');
}

/** Fills a new knowledge base of the stack's tenant, and gives the tenant. */
async function fill(client: Client): Promise<string> {
  const { knowledgeBase } = await callTool<{ knowledgeBase: { id: string } }>(client, 'create_knowledge_base', {
    name: 'bench',
  });
  const { postgres } = stack;
  const [base] = await withAdmin(postgres.adminUrl, (transaction) =>
    transaction.query<{ tenantId: string }>('SELECT tenant_id AS "tenantId" FROM knowledge_bases WHERE id = $1', [
      knowledgeBase.id,
    ]),
  );
  const { tenantId } = base!;
  const originals = source.passages.map((text, index) => ({ text, vector: passages.vectors[index]! }));
  const scope = { tenantId, knowledgeBaseId: knowledgeBase.id };
  await seed(postgres.database('ingestion'), scope, multiply(originals, chunkCount));
  await withAdmin(postgres.adminUrl, (transaction) => transaction.query('ANALYZE'));
  return tenantId;
}

async function measure(clients: readonly Client[], raw: RawSearch): Promise<Level[]> {
  const database = new URL(stack.postgres.adminUrl).pathname.slice(1);
  let asked = 0;
  const next = (count: number) => source.questions.slice(asked, (asked += count));
  const search = (question: string, worker: number) =>
    callTool(clients[worker]!, 'search_knowledge_base', { query: question });
  const figures = levels.map((): Level => ({ through: [], raw: [], windows: [], used: {} }));
  const warmUp = next(warmUpQuestions);
  await runLoad(warmUp, clients.length, search);
  await runLoad(warmUp, clients.length, raw.search);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, { width, questions: count }] of levels.entries()) {
      const level = figures[at]!;
      const batch = next(count);
      const turns = [
        async () => {
          const [from, before] = [Date.now(), processorTime(stack.server, database)];
          level.through.push(await runLoad(batch, width, search));
          level.windows.push({ from, to: Date.now() });
          addUsed(level.used, before, processorTime(stack.server, database));
        },
        async () => void level.raw.push(await runLoad(batch, width, raw.search)),
      ];
      for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn();
    }
  }
  return figures;
}

function print(width: number, level: Level): void {
  const [through, raw] = [joinLoads(level.through), joinLoads(level.raw)];
  const [all, sql] = [summarise(through), summarise(raw)];
  const row = ({ perSecond, p50, p99 }: typeof all) =>
    `${perSecond.toFixed(0).padStart(5)}/s   p50 ${p50.toFixed(1).padStart(6)} ms   p99 ${p99.toFixed(1).padStart(6)} ms`;
  console.log(`\n${width} connection(s), ${through.latencies.length} questions`);
  console.log(`  through everything ${row(all)}`);
  console.log(`  raw SQL            ${row(sql)}`);
  console.log(
    `  ratio              ${(all.perSecond / sql.perSecond).toFixed(2)} of the rate, ` +
      `${(all.p50 / sql.p50).toFixed(2)} times the p50, ${(all.p99 / sql.p99).toFixed(2)} times the p99`,
  );
  const traced = dissect(collector.spans).filter(({ startedAt }) =>
    level.windows.some(({ from, to }) => startedAt >= from && startedAt <= to),
  );
  const parts = meanParts(traced.map((trace) => trace.parts));
  const total = Object.values(parts).reduce((sum, part) => sum + part, 0);
  const shares = Object.entries(parts).map(
    ([name, milliseconds]) => `${name} ${((milliseconds / total) * 100).toFixed(0)} % (${milliseconds.toFixed(1)} ms)`,
  );
  console.log(`  of the ${total.toFixed(1)} ms of ${traced.length} traced calls: ${shares.join(', ')}`);
  console.log(`  processor time of a search: ${describeUsed(level.used, through.latencies.length)}`);
}

function cached(result: 'hit' | 'miss'): Promise<number> {
  return sumOf(stack.server, 'embedding_cache_total', `result="${result}"`);
}
