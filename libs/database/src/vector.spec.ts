import { describe, expect, it } from '@jest/globals';
import { toSparsevecText, toVectorText } from './vector.js';

describe('vectors in pgvector’s text form', () => {
  it('writes a dense vector', () => {
    expect(toVectorText(new Float32Array([0.5, -1, 1e-7]))).toBe('[0.5,-1,1.0000000116860974e-7]');
  });

  it('writes a sparse vector, also one without any term', () => {
    expect(toSparsevecText({ indices: [2, 5], values: [0.5, 1], dimension: 10 })).toBe('{2:0.5,5:1}/10');
    expect(toSparsevecText({ indices: [], values: [], dimension: 10 })).toBe('{}/10');
  });
});
