/**
 * The embedding service alone over XQuAD: how well cosines rank passages, and how fast vectors come. Takes the languages
 * (both by default), `--model FOLDER` (the shipped one by default), `--children N`, and `--titles` to embed each passage
 * below its document's title. Needs `../shared/data/xquad`.
 */
import { parseArgs } from 'node:util';
import { languages, readPassages, readQuestions, type Language } from '@lectern/e2e';
import { embedAll, openEmbedding } from './support/embedding-alone.js';

// Recall at 1 and 5 and MRR at 10 without titles, as measured before this code was written.
const baselines: Record<string, Record<Language, readonly number[]>> = {
  'multilingual-e5-small-zh-en': { zh: [0.894, 0.986, 0.935], en: [0.934, 0.997, 0.96] },
  'bge-small-zh-v1.5': { zh: [0.833, 0.963, 0.89], en: [0.615, 0.842, 0.71] },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string' },
    children: { type: 'string', default: '2' },
    titles: { type: 'boolean', default: false },
  },
});
const embedding = await openEmbedding({ children: Number(values.children), modelFolder: values.model });
const { provider, model } = embedding.model;
console.log(`${provider}/${model}, ${values.children} children, titles ${values.titles ? 'in' : 'out'}`);
for (const language of languages) {
  if (positionals.length === 0 || positionals.includes(language)) await measure(language);
}
await embedding.close();

async function measure(language: Language): Promise<void> {
  const passages = readPassages(language);
  const questions = readQuestions(language);
  const texts = passages.map(({ title, text }) => (values.titles ? `${title.replaceAll('_', ' ')}\n\n${text}` : text));
  const vectors = await timed('passages', texts, embedding.embedPassage);
  const queries = await timed(
    'queries',
    questions.map(({ text }) => text),
    embedding.embedQuery,
  );
  const ranks = questions.map(({ relevant }, index) => {
    const scored = vectors.map((vector, at) => ({ id: passages[at]!.id, score: dot(vector, queries[index]!) }));
    const ranking = scored.toSorted((left, right) => right.score - left.score);
    return ranking.findIndex(({ id }) => relevant.includes(id)) + 1;
  });
  const share = (depth: number) => ranks.filter((at) => at <= depth).length / ranks.length;
  const reciprocal = ranks.reduce((sum, at) => sum + (at <= 10 ? 1 / at : 0), 0) / ranks.length;
  const baseline = baselines[model]?.[language].join(' / ') ?? 'none';
  const figures = [share(1), share(5), reciprocal].map((figure) => figure.toFixed(3)).join(' / ');
  console.log(`${language} recall@1 / recall@5 / MRR@10: ${figures} (baseline ${baseline})`);
}

async function timed(
  what: string,
  texts: readonly string[],
  embed: (text: string) => Promise<Float32Array>,
): Promise<Float32Array[]> {
  const { vectors, seconds } = await embedAll(texts, embed);
  console.log(`${(texts.length / seconds).toFixed(1)} ${what}/s`);
  return vectors;
}

function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += left[index]! * right[index]!;
  return sum;
}
