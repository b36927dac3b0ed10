import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { sliceWellFormed } from './slice-well-formed.js';

describe('sliceWellFormed', () => {
  it('pages through any text, whatever the size of a page, without loss and without half a pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 7 }), (text, limit) => {
        const pages: string[] = [];
        for (let offset: number | undefined = 0; offset !== undefined;) {
          const page = sliceWellFormed(text, offset, limit);
          pages.push(page.text);
          offset = page.nextOffset;
        }
        expect(pages.join('')).toBe(text);
        for (const page of pages) expect(page.isWellFormed()).toBe(true);
        for (const page of pages) expect(page.length).toBeLessThanOrEqual(Math.max(2, limit));
      }),
    );
  });

  it('moves an offset inside a pair to its start', () => {
    expect(sliceWellFormed('😀b', 1, 10)).toEqual({ text: '😀b' });
  });

  it('is empty past the end', () => {
    expect(sliceWellFormed('abc', 3, 10)).toEqual({ text: '' });
    expect(sliceWellFormed('abc', 99, 10)).toEqual({ text: '' });
  });
});
