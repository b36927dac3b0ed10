import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Tokenizer } from '@huggingface/tokenizers';
import * as fc from 'fast-check';
import { estimateTokens } from './estimate-tokens.js';
import { commonWords, followingLetters } from './vocabulary.js';

const root = join(import.meta.dirname, '../../../..');
const questions = join(root, '../shared/data/xquad');

const models = [
  { name: 'multilingual-e5-small-zh-en', folder: join(root, 'models/multilingual-e5-small-zh-en'), lowerCase: false },
  { name: 'bge-small-zh-v1.5', folder: join(root, '../shared/models/bge-small-zh-v1.5'), lowerCase: false },
  { name: 'bge-small-zh-v1.5, lower-cased', folder: join(root, '../shared/models/bge-small-zh-v1.5'), lowerCase: true },
];

const mixedText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.stringMatching(/^[a-z]{1,14}$/),
      fc.stringMatching(/^[A-Za-z0-9_.-]{1,20}$/),
      fc.constantFrom(...commonWords),
      fc.constantFrom(
        '，',
        '。',
        '\n',
        '\t',
        '\u3000',
        '👩‍👩‍👧',
        '🇨🇳',
        'e\u0301\u0316',
        'ﷺ',
        '㍿',
        '한국어',
        '数据库',
        'テスト',
        'か\u3099',
      ),
    ),
    { maxLength: 30 },
  )
  .chain((parts) => fc.constantFrom('', ' ', '  ').map((space) => parts.join(space).toWellFormed()));

for (const { name, folder, lowerCase } of models) {
  const present = existsSync(folder);
  const suite = present ? describe : describe.skip;
  suite(`estimateTokens against the tokenizer of ${name}`, () => {
    const count = present ? tokenCounter(folder, lowerCase) : () => 0;

    it('is never below the real number of tokens in random text of mixed scripts', () => {
      fc.assert(
        fc.property(mixedText, (text) => {
          expect(count(text)).toBeLessThanOrEqual(estimateTokens(text));
        }),
        { numRuns: 1000 },
      );
    });

    (existsSync(questions) ? it : it.skip)('is never below the real number of tokens in the XQuAD passages', () => {
      for (const text of passages()) expect(count(text)).toBeLessThanOrEqual(estimateTokens(text));
    });

    it('counts as one token what really is one', () => {
      for (const word of commonWords) expect([word, count(word)]).toEqual([word, 1]);
      for (const [first, followers] of Object.entries(followingLetters)) {
        for (const pair of Array.from(followers, (second) => first + second)) {
          expect([pair, count(`。${pair}`) - count('。')]).toEqual([pair, 1]);
        }
      }
    });
  });
}

describe('estimateTokens', () => {
  it('leaves a chunk of the shipped model room for about 800 characters of English', () => {
    const sentence =
      'The committee agreed on a new budget for the schools of the region, and most of the members were present. ';
    expect(estimateTokens(sentence.repeat(8).slice(0, 780))).toBeLessThanOrEqual(480);
  });

  it('counts every Chinese character', () => {
    expect(estimateTokens('知识库')).toBe(4);
  });

  it('counts what compatibility characters stand for', () => {
    expect(estimateTokens('ﷺ')).toBeGreaterThanOrEqual(18);
  });
});

function tokenCounter(folder: string, lowerCase: boolean): (text: string) => number {
  const tokenizer = new Tokenizer(readJson(folder, 'tokenizer.json'), readJson(folder, 'tokenizer_config.json'));
  return (text) => tokenizer.encode(lowerCase ? text.toLowerCase() : text, { add_special_tokens: false }).ids.length;
}

function readJson(folder: string, file: string): object {
  return JSON.parse(readFileSync(join(folder, file), 'utf8')) as object;
}

function passages(): string[] {
  return ['zh', 'en'].flatMap((language) =>
    readFileSync(join(questions, language, 'corpus.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { text: string }).text),
  );
}
