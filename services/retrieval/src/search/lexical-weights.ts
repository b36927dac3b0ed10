import { highestScore, inverseDocumentFrequency, lexicalDimension } from '@lectern/text';
import { toSparsevecText } from '@lectern/database';

export interface TermStatistics {
  /** Chunks of the tenant when they were counted last. */
  chunkCount: number;
  /** Chunks that hold a term, by its id; a term that was not counted yet is missing. */
  documentFrequencies: ReadonlyMap<number, number>;
}

export interface LexicalWeights {
  /** The question as a sparse vector of idf, in pgvector's text form. */
  query: string;
  /** Terms whose chunks are looked at: the rarest, as many as fit the bound. */
  selective: number[];
  bm25Max: number;
}

/**
 * Weighs the terms of a question by how rare they are. The counts may be a little old: a term counts as held by at
 * least one chunk and by at most all.
 */
export function weighTerms(terms: readonly number[], statistics: TermStatistics, bound: number): LexicalWeights {
  const weighed = terms.map((term) => {
    const frequency = Math.min(statistics.documentFrequencies.get(term) ?? 1, statistics.chunkCount || 1);
    return { term, frequency, idf: inverseDocumentFrequency(statistics.chunkCount || 1, frequency) };
  });
  return {
    query: toSparsevecText({
      indices: weighed.map(({ term }) => term),
      values: weighed.map(({ idf }) => idf),
      dimension: lexicalDimension,
    }),
    selective: rarest(weighed, bound),
    bm25Max: highestScore(weighed.map(({ idf }) => idf)),
  };
}

function rarest(weighed: readonly { term: number; frequency: number }[], bound: number): number[] {
  let reached = 0;
  return weighed
    .toSorted((left, right) => left.frequency - right.frequency)
    .filter(({ frequency }, position) => {
      reached += frequency;
      return position === 0 || reached <= bound;
    })
    .map(({ term }) => term);
}
