import { highestScore, inverseDocumentFrequency, lexicalDimension } from '@lectern/text';
import { toSparsevecText } from '@lectern/database';

export interface TermStatistics {
  /** Chunks of the tenant when they were counted last. */
  chunkCount: number;
  /** Chunks that hold a term, by its id; a term that was not counted yet is missing. */
  documentFrequencies: ReadonlyMap<number, number>;
}

export interface WeighedTerm {
  id: number;
  /** Chunks that held it when they were counted last; 0 for a new one. */
  frequency: number;
  idf: number;
}

export interface LexicalWeights {
  /** Rarest first. */
  terms: WeighedTerm[];
  /** The question as a sparse vector of idf, in pgvector's text form. */
  query: string;
  /** The most that BM25 can reach for the question. */
  bm25Max: number;
}

// A sparsevec holds 16,000 entries; the words of a question that make a difference are far fewer.
const mostTerms = 1_000;

/**
 * Weighs the terms of a question by how rare they are. The counts may be a little old: a term counts as held by at
 * least one chunk and by at most all.
 */
export function weighTerms(terms: readonly number[], statistics: TermStatistics): LexicalWeights {
  const chunkCount = Math.max(1, statistics.chunkCount);
  const weighed = terms
    .map((id) => {
      const frequency = Math.min(statistics.documentFrequencies.get(id) ?? 0, chunkCount);
      return { id, frequency, idf: inverseDocumentFrequency(chunkCount, Math.max(1, frequency)) };
    })
    .toSorted((left, right) => left.frequency - right.frequency || left.id - right.id);
  const kept = mostTelling(weighed);
  const byId = kept.toSorted((left, right) => left.id - right.id);
  return {
    terms: kept,
    query: toSparsevecText({
      indices: byId.map(({ id }) => id),
      values: byId.map(({ idf }) => idf),
      dimension: lexicalDimension,
    }),
    bm25Max: highestScore(kept.map(({ idf }) => idf)),
  };
}

/** As many of the terms as fit the bound, rarest first, and at least one that is known to be held by some chunk. */
export function rarestTerms(terms: readonly WeighedTerm[], bound: number): WeighedTerm[] {
  let reached = 0;
  return terms.filter(({ frequency }) => {
    const fits = reached === 0 || reached + frequency <= bound;
    if (fits) reached += frequency;
    return fits;
  });
}

/** Of a text pasted as a question: the rarest of the terms that occur, then those that may be new. */
function mostTelling(rarestFirst: readonly WeighedTerm[]): WeighedTerm[] {
  if (rarestFirst.length <= mostTerms) return [...rarestFirst];
  const firstKnown = rarestFirst.findIndex(({ frequency }) => frequency > 0);
  if (firstKnown < 0) return rarestFirst.slice(0, mostTerms);
  const known = rarestFirst.slice(firstKnown, firstKnown + mostTerms);
  return [...rarestFirst.slice(0, Math.min(firstKnown, mostTerms - known.length)), ...known];
}
