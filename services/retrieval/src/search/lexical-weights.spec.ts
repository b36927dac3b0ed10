import { describe, expect, it } from '@jest/globals';
import { rarestTerms, weighTerms } from './lexical-weights.js';

const statistics = {
  chunkCount: 1000,
  documentFrequencies: new Map([
    [1, 900],
    [2, 10],
    [3, 300],
  ]),
};
const ids = (terms: readonly { id: number }[]) => terms.map(({ id }) => id);

describe('weighTerms', () => {
  it('puts the rarest terms first', () => {
    expect(ids(weighTerms([1, 2, 3], statistics).terms)).toEqual([2, 3, 1]);
  });

  it('counts an unknown term as rare', () => {
    expect(weighTerms([77], statistics).bm25Max).toBeGreaterThan(weighTerms([2], statistics).bm25Max);
  });

  it('gives weights before anything was counted', () => {
    const weights = weighTerms([5, 9], { chunkCount: 0, documentFrequencies: new Map() });
    expect(weights.bm25Max).toBeGreaterThan(0);
    expect(weights.query).toMatch(/^\{5:0\.\d+,9:0\.\d+\}\/1000000000$/);
  });

  it('gives no weight below zero, however old the counts are', () => {
    const outdated = { chunkCount: 3, documentFrequencies: new Map([[1, 5000]]) };
    const [term] = weighTerms([1], outdated).terms;
    expect(term?.idf).toBeGreaterThan(0);
  });

  it('takes a question without words', () => {
    expect(weighTerms([], statistics)).toEqual({ terms: [], query: '{}/1000000000', bm25Max: 0 });
  });

  it('keeps the terms that occur of a text pasted as a question', () => {
    const pasted = Array.from({ length: 16_384 }, (_, index) => index + 1);
    const { terms, query } = weighTerms(pasted, statistics);
    expect(terms).toHaveLength(1000);
    expect(ids(terms.slice(-3))).toEqual([2, 3, 1]);
    expect(query.startsWith('{1:')).toBe(true);
  });
});

describe('rarestTerms', () => {
  const { terms } = weighTerms([1, 2, 3, 77], statistics);

  it('takes the rarest terms that fit the bound', () => {
    expect(ids(rarestTerms(terms, 500))).toEqual([77, 2, 3]);
    expect(ids(rarestTerms(terms, Infinity))).toEqual([77, 2, 3, 1]);
  });

  it('takes one term that occurs, however frequent it is', () => {
    const { terms: newAndCommon } = weighTerms([1, 77], statistics);
    expect(ids(rarestTerms(newAndCommon, 5))).toEqual([77, 1]);
  });
});
