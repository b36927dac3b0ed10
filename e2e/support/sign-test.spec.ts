import { describe, expect, it } from '@jest/globals';
import { signScore } from './sign-test.js';

/** Values around 3 with a long tail and a drift, the same in each run. */
function noisy(count: number, shift: number): [number, number][] {
  let state = 1;
  const next = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const value = (at: number): number => 3 - Math.log(next()) * 0.5 + at / count;
  return Array.from({ length: count }, (_, at) => [value(at) + shift, value(at)]);
}

describe('signScore', () => {
  it('is the distance of the wins from half of the pairs', () => {
    expect(signScore(Array.from({ length: 100 }, (_, at) => (at < 60 ? [2, 1] : [1, 2])))).toBe(2);
    expect(signScore([[1, 2]])).toBe(-1);
    expect(signScore([[1, 1]])).toBe(0);
    expect(signScore([])).toBe(0);
  });

  it('stays small for noise and grows with a difference below the noise', () => {
    expect(Math.abs(signScore(noisy(400, 0)))).toBeLessThan(3);
    expect(signScore(noisy(400, 0.25))).toBeGreaterThan(5);
    expect(signScore(noisy(400, -0.25))).toBeLessThan(-5);
  });
});
