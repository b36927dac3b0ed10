import { describe, expect, it } from '@jest/globals';
import { floorOf, judge, type Sample } from './flatness.js';

const tolerance = { share: 0.1, absolute: 5 };
/** A sample a second. */
const series = (values: readonly number[]): Sample[] => values.map((value, index) => ({ at: index * 1000, value }));
const sawtooth = (index: number) => (index % 7) * 6;
const numbers = Array.from({ length: 60 }, (_, index) => index);

describe('floorOf', () => {
  it('keeps the lowest of each group', () => {
    expect(floorOf(series([5, 3, 9, 7, 8, 6, 1]), 3).map(({ value }) => value)).toEqual([3, 6]);
  });
});

describe('judge', () => {
  it('takes the ups and downs of a heap for flat', () => {
    const verdict = judge(series(numbers.map((index) => 100 + sawtooth(index))), tolerance);
    expect(verdict.isFlat).toBe(true);
    expect(Math.abs(verdict.growth)).toBeLessThan(5);
  });

  it('sees a leak below them', () => {
    const verdict = judge(series(numbers.map((index) => 100 + sawtooth(index) + index)), tolerance);
    expect(verdict.isFlat).toBe(false);
    expect(verdict.growth).toBeCloseTo(59, -1);
  });

  it('is not misled by one peak at the end', () => {
    expect(judge(series([...numbers.map(() => 100), 900]), tolerance)).toMatchObject({ growth: 0, isFlat: true });
  });

  it('allows the larger of a share and an amount', () => {
    expect(judge(series(numbers.map(() => 10)), tolerance).allowed).toBe(5);
    expect(judge(series(numbers.map(() => 1000)), tolerance).allowed).toBe(100);
  });

  it('refuses to judge a handful of samples', () => {
    expect(() => judge(series([1, 2, 3]), tolerance)).toThrow('run longer');
  });
});
