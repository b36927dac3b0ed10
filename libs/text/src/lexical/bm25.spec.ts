import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { highestScore, inverseDocumentFrequency, lexicalDimension, lexicalDocument, lexicalQuery } from './bm25.js';

const tenant = '01890000-0000-7000-8000-000000000001';
const another = '01890000-0000-7000-8000-000000000002';

/** What the database computes: the inner product of the two sides. */
function score(text: string, query: string, idf: (term: number) => number = () => 1): number {
  const { vector } = lexicalDocument(tenant, text);
  const weights = new Map(vector.indices.map((index, at) => [index, vector.values[at]!]));
  return lexicalQuery(tenant, query).reduce((sum, term) => sum + idf(term) * (weights.get(term) ?? 0), 0);
}

describe('lexicalDocument', () => {
  it('gives, for any text, what a sparsevec takes: distinct ascending indices within the dimension, at most 700', () => {
    const words = fc
      .array(fc.string({ unit: 'grapheme', minLength: 1 }), { maxLength: 1500 })
      .map((list) => list.join(' '));
    fc.assert(
      fc.property(words, (text) => {
        const { terms, vector } = lexicalDocument(tenant, text);
        expect(terms).toEqual(vector.indices);
        expect(terms).toEqual([...new Set(terms)].toSorted((left, right) => left - right));
        expect(terms.every((id) => Number.isInteger(id) && id >= 1 && id < lexicalDimension)).toBe(true);
        expect(vector.values.every((value) => value > 0 && Number.isFinite(value))).toBe(true);
        expect(terms.length).toBe(vector.values.length);
        expect(terms.length).toBeLessThanOrEqual(700);
      }),
      { numRuns: 50 },
    );
  });

  it('keeps the terms that occur most where there are too many', () => {
    const text = `${Array.from({ length: 2000 }, (_, i) => `word${i}x`).join(' ')} lectern lectern`;
    expect(lexicalDocument(tenant, text).terms).toHaveLength(700);
    expect(score(text, 'lectern')).toBeGreaterThan(0);
  });

  it('gives a term other ids in other tenants', () => {
    const ids = lexicalDocument(tenant, '数据库 连接').terms;
    expect(lexicalDocument(another, '数据库 连接').terms.some((id) => ids.includes(id))).toBe(false);
  });

  it('is empty for a text without terms', () => {
    expect(lexicalDocument(tenant, ' 的 of …')).toEqual({
      terms: [],
      vector: { indices: [], values: [], dimension: lexicalDimension },
    });
  });
});

describe('BM25', () => {
  it('gives the score of the formula', () => {
    const text = `lectern ${'filler '.repeat(159)}`;
    // One occurrence in a text of average length: tf·(k1+1)/(tf+k1) = 1.
    expect(score(text, 'lectern')).toBeCloseTo(1, 10);
  });

  it('rises with each occurrence, less each time, and falls with length', () => {
    const once = score('lectern one two three', 'lectern');
    const twice = score('lectern lectern two three', 'lectern');
    const thrice = score('lectern lectern lectern three', 'lectern');
    expect(twice).toBeGreaterThan(once);
    expect(thrice - twice).toBeLessThan(twice - once);
    expect(score(`lectern ${'filler '.repeat(300)}`, 'lectern')).toBeLessThan(once);
  });

  it('never exceeds what the query can reach', () => {
    const query = 'lectern 数据库';
    const ids = lexicalQuery(tenant, query);
    expect(score('lectern 数据库 '.repeat(500), query)).toBeLessThanOrEqual(highestScore(ids.map(() => 1)));
  });

  it('weighs a rare term above a frequent one and an unknown one above both, none below zero', () => {
    const weights = [0, 1, 10, 50, 100].map((found) => inverseDocumentFrequency(100, found));
    expect(weights).toEqual(weights.toSorted((left, right) => right - left));
    expect(weights.at(-1)).toBeGreaterThan(0);
  });
});

describe('lexicalQuery', () => {
  it('names each term once, in ascending order', () => {
    const ids = lexicalQuery(tenant, 'database databases Database 数据库');
    expect(ids).toEqual([...new Set(ids)].toSorted((left, right) => left - right));
    expect(ids).toEqual(lexicalQuery(tenant, '数据库 databases'));
  });
});
