/** BM25 alone, in memory, over XQuAD: what the segmentation of `libs/text` is worth. Needs `../shared/data/xquad`. */
import { languages, readPassages, readQuestions, type Passage } from '@lectern/e2e';
import { inverseDocumentFrequency, lexicalDocument, lexicalQuery } from '@lectern/text';

const tenant = 'bench';

// The same method on the text alone, measured before this code was written; printed in brackets.
const baseline = {
  zh: { 'recall@1': 0.924, 'recall@5': 0.991, 'MRR@10': 0.953 },
  en: { 'recall@1': 0.943, 'recall@5': 0.992, 'MRR@10': 0.964 },
};

type Index = ReadonlyMap<number, readonly { readonly passage: string; readonly weight: number }[]>;

const indexed = {
  text: ({ text }: Passage) => text,
  'title and text': ({ title, text }: Passage) => `${title}\n${text}`,
};

for (const language of languages) {
  const passages = readPassages(language);
  const questions = readQuestions(language);
  for (const [name, textOf] of Object.entries(indexed)) {
    const index = buildIndex(passages, textOf);
    const ranks = questions.map(({ text, relevant }) => {
      return rank(index, passages.length, text).findIndex((passage) => relevant.includes(passage)) + 1;
    });
    print(`${language}, ${name}`, ranks, baseline[language]);
  }
}

function print(name: string, ranks: readonly number[], before: (typeof baseline)['zh']): void {
  const share = (depth: number) => ranks.filter((at) => at > 0 && at <= depth).length / ranks.length;
  const reciprocal = ranks.reduce((sum, at) => sum + (at > 0 && at <= 10 ? 1 / at : 0), 0) / ranks.length;
  const measured = { 'recall@1': share(1), 'recall@5': share(5), 'MRR@10': reciprocal };
  const columns = Object.entries(measured).map(([measure, value]) => {
    return `${measure} ${value.toFixed(3)} (${before[measure as keyof typeof before].toFixed(3)})`;
  });
  console.log(`${name.padEnd(18)} ${columns.join('  ')}`);
}

function buildIndex(passages: readonly Passage[], textOf: (passage: Passage) => string): Index {
  const postings = new Map<number, { passage: string; weight: number }[]>();
  for (const passage of passages) {
    const { vector } = lexicalDocument(tenant, textOf(passage));
    for (const [at, term] of vector.indices.entries()) {
      const list = postings.get(term) ?? [];
      list.push({ passage: passage.id, weight: vector.values[at]! });
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
