import { describe, expect, it } from '@jest/globals';
import { newId } from './uuid.js';

describe('newId', () => {
  it('makes a UUID of version 7 that carries its millisecond', () => {
    expect(newId(0x0123456789ab)).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('sorts by time and never repeats', () => {
    const ids = Array.from({ length: 1000 }, (_, millisecond) => newId(millisecond));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(Array.from({ length: 1000 }, () => newId(1))).size).toBe(1000);
  });
});
