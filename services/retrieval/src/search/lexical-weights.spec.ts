import { describe, expect, it } from '@jest/globals';
import { weighTerms } from './lexical-weights.js';

const statistics = {
  chunkCount: 1000,
  documentFrequencies: new Map([
    [1, 900],
    [2, 10],
    [3, 300],
  ]),
};

describe('weighTerms', () => {
  it('looks at the chunks of the rarest terms first, up to the bound', () => {
    expect(weighTerms([1, 2, 3], statistics, 500).selective).toEqual([2, 3]);
    expect(weighTerms([1, 2, 3], statistics, 5000).selective).toEqual([2, 3, 1]);
  });

  it('always looks at one term', () => {
    expect(weighTerms([1], statistics, 5).selective).toEqual([1]);
  });

  it('counts an unknown term as rare', () => {
    const { bm25Max } = weighTerms([2], statistics, 100);
    expect(weighTerms([77], statistics, 100).bm25Max).toBeGreaterThan(bm25Max);
  });

  it('gives weights before anything was counted', () => {
    const weights = weighTerms([5, 9], { chunkCount: 0, documentFrequencies: new Map() }, 100);
    expect(weights.bm25Max).toBeGreaterThan(0);
    expect(weights.query).toMatch(/^\{5:0\.\d+,9:0\.\d+\}\/1000000000$/);
  });

  it('takes a question without words', () => {
    expect(weighTerms([], statistics, 100)).toEqual({ query: '{}/1000000000', selective: [], bm25Max: 0 });
  });
});
