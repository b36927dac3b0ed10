/** Longest question in UTF-16 code units, as the schema of the tool says. */
const longest = 8192;

/** Questions that look like trouble and are none. */
export const answeredQueries: Record<string, string> = {
  '8,192 letters': 'a'.repeat(longest),
  '8,192 Chinese characters': '备份'.repeat(longest / 2),
  '8,192 code units of emoji': '🎉'.repeat(longest / 2),
  'words of 8,192 letters': 'word '
    .repeat(longest)
    .slice(0, longest - 1)
    .concat('x'),
  '8,192 letters and a blank': `${'a'.repeat(longest)} `,
  'English stop words': 'the of and to a',
  'Chinese stop words': '的 了 吗',
  emoji: '🧑‍🚀🎉',
  SQL: "' OR 1=1 --",
  'a second statement': "'; DROP TABLE chunks; SELECT '1",
  'operators of tsquery': 'a & | !b',
  'a prefix of tsquery': 'foo:*',
  'a distance of tsquery': 'a <-> b <2> (c',
  quotes: `"'\`"'`,
  'a dollar quote': '$$ $1 ${x}',
  'halves in the wrong order': 'a\udc00\ud83db',
  'NUL in a word': 'back\0up',
  'a letter with 8,000 accents': `a${'\u0301'.repeat(8000)}`,
  'a vector of our own making': '{1:1}/1000000000',
};

export const refusedQueries: Record<string, { query: string; words: RegExp }> = {
  'an empty question': { query: '', words: /query: is empty; ask something/ },
  'a blank question': { query: ' \n\t\u3000', words: /query: is empty; ask something/ },
  '8,193 letters': {
    query: 'a'.repeat(longest + 1),
    words: /query: takes at most 8192 characters; ask in fewer words/,
  },
  ...Object.fromEntries(
    Object.entries({
      punctuation: '?!.,;:()[]',
      'Chinese punctuation': '。，！？《》',
      'a backslash': '\\',
      percent: '%',
      underscore: '_',
      'half of a surrogate pair': '\ud83d',
      NUL: '\0',
    }).map(([what, query]) => [what, { query, words: /query: has no word, number or symbol .* Ask in words/ }]),
  ),
};

/** For every other text that somebody may send. */
export const hostileStrings: readonly string[] = [
  ...Object.values(answeredQueries),
  ...Object.values(refusedQueries).map(({ query }) => query),
  '../../etc/passwd',
  'null',
  '01890000-0000-7000-8000-00000000abcd\0',
  "01890000-0000-7000-8000-00000000abcd' OR '1'='1",
].filter((text) => text.length < 100);
