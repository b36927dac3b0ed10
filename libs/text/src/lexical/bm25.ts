import { segment } from './segment.js';

/** Names what stored lexical vectors depend on: segmentation, hashing and the constants below. */
export const lexiconVersion = 1;

const k1 = 1.2;
const b = 0.75;

// A constant instead of the tenant's average, so that a stored vector never goes out of date.
const averageLength = 160;

/** The number of dimensions of a lexical vector; term ids run from 1 to one less. */
export const lexicalDimension = 1_000_000_000;

// A sparsevec that is stored PLAIN has to fit into one page of PostgreSQL.
const mostTerms = 700;

export interface LexicalDocument {
  /** Distinct term ids, ascending: the indices of the vector. */
  readonly terms: number[];
  readonly vector: { readonly indices: number[]; readonly values: number[]; readonly dimension: number };
}

/** The document side of BM25: its inner product with `term id → idf` of a query is the score. */
export function lexicalDocument(tenantId: string, text: string): LexicalDocument {
  const counts = new Map<number, number>();
  const words = segment(text);
  for (const word of words) {
    const id = termId(tenantId, word);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const kept = mostFrequent(counts).toSorted(([left], [right]) => left - right);
  const indices = kept.map(([id]) => id);
  const values = kept.map(([, count]) => termWeight(count, words.length));
  return { terms: indices, vector: { indices, values, dimension: lexicalDimension } };
}

/** The distinct term ids of a question, ascending. */
export function lexicalQuery(tenantId: string, query: string): number[] {
  const ids = new Set(segment(query).map((word) => termId(tenantId, word)));
  return [...ids].toSorted((left, right) => left - right);
}

/** The weight of a term found in `documentFrequency` of `documentCount` chunks; an unknown term counts as rare. */
export function inverseDocumentFrequency(documentCount: number, documentFrequency: number): number {
  return Math.log(1 + (documentCount - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

/** What BM25 can reach at most for query terms of these weights. */
export function highestScore(inverseDocumentFrequencies: readonly number[]): number {
  return (k1 + 1) * inverseDocumentFrequencies.reduce((sum, idf) => sum + idf, 0);
}

function termWeight(count: number, length: number): number {
  return (count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / averageLength));
}

function mostFrequent(counts: ReadonlyMap<number, number>): [number, number][] {
  const entries = [...counts];
  if (entries.length <= mostTerms) return entries;
  return entries.toSorted(([, left], [, right]) => right - left).slice(0, mostTerms);
}

/** A tenant's own id of a term, from 1 to 999,999,999: the same word has another id in another tenant. */
function termId(tenantId: string, term: string): number {
  return 1 + (hash32(`${tenantId}\0${term}`) % (lexicalDimension - 1));
}

// FNV-1a over UTF-16 code units with the finaliser of MurmurHash3, whose low bits are as good as its high ones.
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
