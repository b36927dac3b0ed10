import { describe, expect, it } from '@jest/globals';
import { fuse, select, type Candidate } from './fusion.js';

const calibration = { denseWeight: 0.5, floor: 0.8, minSimilarity: 0.8, bm25Max: 10 };
const candidate = (chunkId: string, similarity: number, bm25: number): Candidate => ({ chunkId, similarity, bm25 });

describe('fuse', () => {
  it('weighs both legs on their own scale', () => {
    const [best, second] = fuse([candidate('a', 0.9, 0), candidate('b', 0.85, 5)], calibration);
    expect(best).toMatchObject({ chunkId: 'b', score: expect.closeTo(0.5 * 0.25 + 0.5 * 0.5) });
    expect(second).toMatchObject({ chunkId: 'a', score: expect.closeTo(0.25) });
  });

  it('goes below zero below the floor', () => {
    expect(fuse([candidate('a', 0.7, 0)], calibration)[0]?.score).toBeCloseTo(-0.25);
  });

  it('ranks by meaning alone when a question has no words', () => {
    const ranked = fuse([candidate('a', 0.85, 0), candidate('b', 0.9, 0)], { ...calibration, bm25Max: 0 });
    expect(ranked.map((passage) => passage.chunkId)).toEqual(['b', 'a']);
  });

  it('breaks ties by id', () => {
    const ranked = fuse([candidate('b', 0.9, 1), candidate('a', 0.9, 1)], calibration);
    expect(ranked.map((passage) => passage.chunkId)).toEqual(['a', 'b']);
  });
});

describe('select', () => {
  it('cuts what is far in meaning and shares no word, and counts it', () => {
    const ranked = fuse(
      [candidate('far', 0.79, 0), candidate('identifier', 0.7, 4), candidate('near', 0.9, 0)],
      calibration,
    );
    const { kept, filteredByThreshold } = select(ranked, 3);
    expect(kept.map((passage) => passage.chunkId)).toEqual(['near', 'identifier']);
    expect(filteredByThreshold).toBe(1);
  });

  it('fills the places of cut passages with the next ones', () => {
    const weak = { ...calibration, denseWeight: 0.9 };
    const ranked = fuse([candidate('far', 0.79, 0), candidate('word', 0.5, 1)], weak);
    expect(select(ranked, 1)).toMatchObject({ kept: [{ chunkId: 'word' }], filteredByThreshold: 1 });
  });
});
