import { describe, expect, it } from '@jest/globals';
import { RecentSet } from './recent-set.js';

describe('the recent set', () => {
  it('knows the newest ids and forgets old ones', () => {
    const recent = new RecentSet(10);
    for (let id = 0; id < 1000; id += 1) {
      expect(recent.addOrGet(String(id), `note ${id}`)).toBe(`note ${id}`);
      for (let back = 0; back < 10 && back <= id; back += 1) {
        expect(recent.addOrGet(String(id - back), 'another')).toBe(`note ${id - back}`);
      }
    }
    const known = Array.from({ length: 1000 }, (_, id) => recent.has(String(id))).filter(Boolean).length;
    expect(known).toBeGreaterThanOrEqual(10);
    expect(known).toBeLessThanOrEqual(20);
  });
});
