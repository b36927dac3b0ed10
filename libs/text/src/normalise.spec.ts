import { describe, expect, it } from '@jest/globals';
import { normaliseText } from './normalise.js';

describe('normaliseText', () => {
  it('drops the byte order mark at the start and nowhere else', () => {
    expect(normaliseText('\uFEFFa\uFEFFb')).toBe('a\uFEFFb');
  });

  it('replaces what can not be stored, one character by one', () => {
    expect(normaliseText('a\0b\ud800c\udc00')).toBe('a\uFFFDb\uFFFDc\uFFFD');
  });

  it('keeps line ends, whole pairs and all else', () => {
    const text = 'a\r\nb\rc\n👩‍👩‍👧 e\u0301 汉';
    expect(normaliseText(text)).toBe(text);
  });
});
