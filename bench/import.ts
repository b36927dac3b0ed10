/**
 * Importing XQuAD through MCP, in embedded mode and in four processes: passages a second as a share of what the same
 * number of embedding children alone does with the same texts, in turns. Then what a document's stages take, and which
 * processes the processor works for (on Linux). Needs
 * `../shared/data/xquad`; runs a server of each kind of its own, the stack on the test servers.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  connectClient,
  importPassages,
  languages,
  readPassages,
  startServer,
  startTestStack,
  type Language,
  type ServerProcess,
} from '@lectern/e2e';
import { chunkText, normaliseText, searchableText } from '@lectern/text';
import type { TestPostgres } from '@lectern/testing';
import { addUsed, describeUsed, processorTime, type ProcessorTime } from './support/cpu.js';
import { embedAll, openEmbedding } from './support/embedding-alone.js';
import { sumOf } from './support/metrics.js';

interface Mode {
  name: string;
  /** Embedding children, as many as the mode has by default. */
  children: number;
  open(): Promise<{ server: ServerProcess; postgres?: TestPostgres; close(): Promise<void> }>;
}

interface Figures {
  /** Passages a second of each turn. */
  alone: number[];
  imported: number[];
}

const stages = ['parse', 'chunk', 'embed', 'switch'];
/** Uploads under way. Each waits until its document is ready; fewer would leave the pipeline without work. */
const width = 16;
/** As ingestion cuts for the shipped model. */
const maxTokens = 480;

const modes: Mode[] = [
  {
    name: 'embedded mode',
    children: 1,
    async open() {
      const dataDir = await mkdtemp(join(tmpdir(), 'lectern-bench-'));
      const server = await startServer(['start', '--port', '0', '--data-dir', dataDir, '--no-sample']);
      return {
        server,
        async close() {
          await server.stop();
          await rm(dataDir, { recursive: true, force: true });
        },
      };
    },
  },
  {
    name: 'four processes',
    children: availableParallelism(),
    open: () => startTestStack({ environment: { EMBEDDING_CHILDREN: '0' } }),
  },
];

for (const mode of modes) await measure(mode);

async function measure(mode: Mode): Promise<void> {
  const { server, postgres, close } = await mode.open();
  const database = postgres && new URL(postgres.adminUrl).pathname.slice(1);
  const client = await connectClient(server.urls[0]!, server.token);
  const figures: Figures = { alone: [], imported: [] };
  const used: ProcessorTime = {};
  for (const [turn, language] of languages.entries()) {
    const steps = [
      async () => figures.alone.push(await embedAlone(language, mode.children)),
      async () => {
        const before = processorTime(server, database);
        figures.imported.push(await importOnce(client, language));
        addUsed(used, before, processorTime(server, database));
      },
    ];
    for (const step of turn % 2 === 0 ? steps : steps.toReversed()) await step();
  }
  print(mode, figures);
  printProcessorTime(used);
  await printStages(server);
  await client.close();
  await close();
}

async function embedAlone(language: Language, children: number): Promise<number> {
  const passages = readPassages(language);
  const texts = passages.flatMap(({ text }) =>
    chunkText(normaliseText(text), { contentType: 'txt', maxTokens }).map((chunk) => searchableText(chunk)),
  );
  const embedding = await openEmbedding({ children });
  const { seconds } = await embedAll(texts, embedding.embedPassage);
  await embedding.close();
  return passages.length / seconds;
}

async function importOnce(client: Parameters<typeof importPassages>[0], language: Language): Promise<number> {
  const startedAt = performance.now();
  const { states } = await importPassages(client, language, width);
  const seconds = (performance.now() - startedAt) / 1000;
  const count = readPassages(language).length;
  if (states.ready !== count) throw new Error(`not all documents were ready: ${JSON.stringify(states)}`);
  return count / seconds;
}

function print({ name, children }: Mode, { alone, imported }: Figures): void {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + 1 / value, 0);
  // Both did equal work, so times add up and rates do not.
  const [aloneRate, importRate] = [alone.length / sum(alone), imported.length / sum(imported)];
  const each = languages.map((language, at) => `${language} ${(imported[at]! / alone[at]!).toFixed(2)}`).join(', ');
  console.log(
    `${name}: ${importRate.toFixed(1)} passages/s; ${children} embedding child(ren) alone ${aloneRate.toFixed(1)}: ` +
      `${(importRate / aloneRate).toFixed(2)} of them (${each})`,
  );
}

function printProcessorTime(used: ProcessorTime): void {
  const documents = languages.reduce((sum, language) => sum + readPassages(language).length, 0);
  console.log(`  processor time of a document: ${describeUsed(used, documents)}`);
}

/** Means over all documents; the embedding stage waits for children that others use too. */
async function printStages(server: ServerProcess): Promise<void> {
  const metric = 'ingestion_stage_duration_seconds';
  const figures = await Promise.all(
    stages.map(async (stage) => {
      const [sum, count] = [
        await sumOf(server, `${metric}_sum`, `stage="${stage}"`),
        await sumOf(server, `${metric}_count`, `stage="${stage}"`),
      ];
      return `${stage} ${((sum / count) * 1000).toFixed(0)} ms`;
    }),
  );
  console.log(`  a document's stages: ${figures.join(', ')}`);
}
