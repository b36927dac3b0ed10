/** BM25 alone, in memory, over XQuAD: what the segmentation of `libs/text` is worth. Needs `../shared/data/xquad`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inverseDocumentFrequency, lexicalDocument, lexicalQuery } from '@lectern/text';

const corpora = join(import.meta.dirname, '../../shared/data/xquad');
const tenant = 'bench';

// BM25 with jieba and Snowball stems, as measured before this code was written.
const baseline = {
  zh: { 'recall@1': 0.924, 'recall@5': 0.991, 'MRR@10': 0.953 },
  en: { 'recall@1': 0.943, 'recall@5': 0.992, 'MRR@10': 0.964 },
};

interface Passage {
  readonly id: string;
  readonly text: string;
}

interface Question {
  readonly text: string;
  readonly relevant: readonly string[];
}

type Index = ReadonlyMap<number, readonly { readonly passage: string; readonly weight: number }[]>;

for (const language of ['zh', 'en'] as const) {
  const passages = readLines<Passage>(language, 'corpus.jsonl');
  const index = buildIndex(passages);
  const ranks = readLines<Question>(language, 'queries.jsonl').map((question) => {
    const ranking = rank(index, passages.length, question.text);
    return ranking.findIndex((passage) => question.relevant.includes(passage)) + 1;
  });
  const share = (depth: number) => ranks.filter((at) => at > 0 && at <= depth).length / ranks.length;
  const reciprocal = ranks.reduce((sum, at) => sum + (at > 0 && at <= 10 ? 1 / at : 0), 0) / ranks.length;
  const measured = { 'recall@1': share(1), 'recall@5': share(5), 'MRR@10': reciprocal };
  for (const [measure, value] of Object.entries(measured)) {
    const before = baseline[language][measure as keyof typeof measured];
    console.log(`${language} ${measure.padEnd(8)} ${value.toFixed(3)} (baseline ${before.toFixed(3)})`);
  }
}

function buildIndex(passages: readonly Passage[]): Index {
  const postings = new Map<number, { passage: string; weight: number }[]>();
  for (const { id, text } of passages) {
    const { vector } = lexicalDocument(tenant, text);
    for (const [at, term] of vector.indices.entries()) {
      const list = postings.get(term) ?? [];
      list.push({ passage: id, weight: vector.values[at]! });
      postings.set(term, list);
    }
  }
  return postings;
}

function rank(index: Index, passageCount: number, question: string): string[] {
  const scores = new Map<string, number>();
  for (const term of lexicalQuery(tenant, question)) {
    const postings = index.get(term) ?? [];
    const idf = inverseDocumentFrequency(passageCount, postings.length);
    for (const { passage, weight } of postings) scores.set(passage, (scores.get(passage) ?? 0) + idf * weight);
  }
  return [...scores].toSorted(([, left], [, right]) => right - left).map(([passage]) => passage);
}

function readLines<Row>(language: string, file: string): Row[] {
  const lines = readFileSync(join(corpora, language, file), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Row);
}
