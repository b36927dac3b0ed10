/**
 * The embedding service alone over XQuAD: how well cosines rank passages, and how fast vectors come. Takes the languages
 * (both by default), `--model FOLDER` (the shipped one by default), `--children N`, and `--titles` to embed each passage
 * below its document's title. Needs `../shared/data/xquad`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeModel, embedPassages, embedQuery } from '@lectern/contracts';
import { createMemoryVectorCache, createService } from '@lectern/embedding';
import { createLogger, createMetrics } from '@lectern/telemetry';
import { testCaller } from '@lectern/testing';
import { createInProcessTransport } from '@lectern/transport';

interface Passage {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

interface Question {
  readonly text: string;
  readonly relevant: readonly string[];
}

// Recall at 1 and 5 and MRR at 10 without titles, as measured before this code was written.
const baselines: Record<string, Record<string, readonly number[]>> = {
  'multilingual-e5-small-zh-en': { zh: [0.894, 0.986, 0.935], en: [0.934, 0.997, 0.96] },
  'bge-small-zh-v1.5': { zh: [0.833, 0.963, 0.89], en: [0.615, 0.842, 0.71] },
};
const corpora = join(import.meta.dirname, '../../shared/data/xquad');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string' },
    children: { type: 'string', default: '2' },
    titles: { type: 'boolean', default: false },
  },
});
const logger = createLogger({ service: 'bench', level: 'warn' });
const metrics = createMetrics('bench');
const transport = createInProcessTransport({ logger, metrics });
const limits = { EMBEDDING_CACHE_ENTRIES: 10_000, EMBEDDING_CACHE_TTL_SECONDS: 3600 };
const service = await createService(
  { MODEL_DIR: values.model, EMBEDDING_CHILDREN: Number(values.children) },
  { transport, logger, metrics, cache: createMemoryVectorCache(limits) },
);
const call = { caller: testCaller('01890000-0000-7000-8000-000000000001') };
const { model } = await transport.client.call(describeModel, {}, call);
console.log(`${model.provider}/${model.model}, ${values.children} children, titles ${values.titles ? 'in' : 'out'}`);
for (const language of positionals.length > 0 ? positionals : ['zh', 'en']) await measure(language);
await service.close();
await transport.close();

async function measure(language: string): Promise<void> {
  const passages = readLines<Passage>(language, 'corpus.jsonl');
  const questions = readLines<Question>(language, 'queries.jsonl');
  const vectors = await timed('passages', passages.length, () =>
    inParallel(passages, (passage) => embedPassage(passageText(passage))),
  );
  const queries = await timed('queries', questions.length, () =>
    inParallel(questions, ({ text }) => transport.client.call(embedQuery, { model, text }, call)),
  );
  const ranks = questions.map(({ relevant }, index) => {
    const scored = vectors.map((vector, at) => ({ id: passages[at]!.id, score: dot(vector, queries[index]!.vector) }));
    const ranking = scored.toSorted((left, right) => right.score - left.score);
    return ranking.findIndex(({ id }) => relevant.includes(id)) + 1;
  });
  const share = (depth: number) => ranks.filter((at) => at <= depth).length / ranks.length;
  const reciprocal = ranks.reduce((sum, at) => sum + (at <= 10 ? 1 / at : 0), 0) / ranks.length;
  const baseline = baselines[model.model]?.[language]?.join(' / ') ?? 'none';
  const figures = [share(1), share(5), reciprocal].map((figure) => figure.toFixed(3)).join(' / ');
  console.log(`${language} recall@1 / recall@5 / MRR@10: ${figures} (baseline ${baseline})`);
}

function passageText({ title, text }: Passage): string {
  return values.titles ? `${title.replaceAll('_', ' ')}\n\n${text}` : text;
}

/** The vector of a passage, of its beginning where the whole is too long for the model. */
async function embedPassage(text: string): Promise<Float32Array> {
  const { results } = await transport.client.call(embedPassages, { model, texts: [text] }, call);
  const [result] = results;
  return result?.ok ? result.vector : embedPassage(text.slice(0, Math.floor(text.length * 0.95)));
}

/** Keeps a few requests under way, as busy callers would. */
async function inParallel<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  const rest = items.entries();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const [index, item] of rest) results[index] = await work(item);
    }),
  );
  return results;
}

async function timed<T>(what: string, count: number, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  console.log(`${(count / ((performance.now() - started) / 1000)).toFixed(1)} ${what}/s`);
  return result;
}

function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += left[index]! * right[index]!;
  return sum;
}

function readLines<Row>(language: string, file: string): Row[] {
  const lines = readFileSync(join(corpora, language, file), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Row);
}
