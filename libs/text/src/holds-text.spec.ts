import { expect, it } from '@jest/globals';
import { holdsText } from './holds-text.js';

it.each(['a', '字', '7', 'Ⅷ', '→', '🎉', '$', '?!a', '\ud83dx'])('%j says something', (text) => {
  expect(holdsText(text)).toBe(true);
});

it.each(['', ' \n\t\u3000', '?!.,;:()[]', '。，！？《》', '%_\\', '\u200b\ufeff', '\0', '\ud83d', '\u0301'])(
  '%j says nothing',
  (text) => {
    expect(holdsText(text)).toBe(false);
  },
);
