import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { estimateTokens } from '../tokens/estimate-tokens.js';
import { normaliseText } from '../normalise.js';
import { chunkText, type Chunk, type ChunkOptions } from './chunk-text.js';
import { searchableText } from './piece.js';

const shipped = { maxTokens: 480 };
const markdown = (text: string, options: Partial<ChunkOptions> = {}) =>
  chunkText(text, { contentType: 'md', ...shipped, ...options });
const plain = (text: string, options: Partial<ChunkOptions> = {}) =>
  chunkText(text, { contentType: 'txt', ...shipped, ...options });
const csv = (text: string, options: Partial<ChunkOptions> = {}) =>
  chunkText(text, { contentType: 'csv', ...shipped, ...options });
const contents = (chunks: readonly Chunk[]) => chunks.map(({ content }) => content);

const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }),
      fc.lorem({ maxCount: 60, mode: 'words' }),
      fc.lorem({ maxCount: 8, mode: 'sentences' }),
      fc.constantFrom('知识库的检索结果。', '“引用”！', '数据库连接失败，请重试；', '汉'.repeat(900), 'x'.repeat(1700)),
      fc.constantFrom(
        '\n',
        '\n\n',
        '\r\n',
        '\r',
        ' ',
        '\t',
        '\u3000',
        '\ufeff',
        '\u2028',
        ' '.repeat(900),
        '\n'.repeat(900),
      ),
      fc.constantFrom(
        '# One\n',
        '## Two ##\n',
        '### \n',
        'Title\n===\n',
        '```js\n',
        '```\n',
        '~~~~\n',
        '- item\n',
        '| a | b |\n',
      ),
      fc.constantFrom('👩‍👩‍👧', '🇨🇳', 'e\u0301\u0316', 'ﷺ', '\u0301'.repeat(300), '🏴󠁧󠁢󠁳󠁣󠁴󠁿', 'ﷺ'.repeat(120)),
      fc.constantFrom('a,b\n', '"x\ny",2\n', '"', ',', '1;2\n'),
    ),
    { maxLength: 40 },
  )
  .map((parts) => normaliseText(parts.join('')));
const anyOptions = fc.record({
  contentType: fc.constantFrom('txt', 'md', 'csv'),
  maxTokens: fc.constantFrom(32, 100, 480),
  targetLength: fc.constantFrom(40, 300, 800),
  overlap: fc.constantFrom(0, 30, 120),
});

describe('chunkText', () => {
  it('gives, for any text, chunks that are slices of it at their offsets', () => {
    forAnyChunks((chunks, text) => {
      for (const { content, startOffset, endOffset } of chunks)
        expect(content).toBe(text.slice(startOffset, endOffset));
      expect(chunks.map(({ ordinal }) => ordinal)).toEqual(chunks.map((_, index) => index));
    });
  });

  it('covers, for any text, all that is not white space, in the order of the text', () => {
    forAnyChunks((chunks, text) => {
      let covered = 0;
      for (const { startOffset, endOffset } of chunks) {
        expect(text.slice(covered, startOffset).trim()).toBe('');
        expect(endOffset).toBeGreaterThan(covered);
        covered = endOffset;
      }
      expect(text.slice(covered).trim()).toBe('');
    });
  });

  it('keeps, for any text, within the tokens and the length that were asked for', () => {
    forAnyChunks((chunks, _text, { maxTokens, targetLength }) => {
      for (const chunk of chunks) {
        expect(chunk.tokenCount).toBe(estimateTokens(searchableText(chunk)));
        expect(chunk.tokenCount).toBeLessThanOrEqual(maxTokens);
        expect(chunk.content.length).toBeLessThanOrEqual(targetLength!);
        expect(chunk.content).toBe(chunk.content.trim());
        expect(chunk.content.isWellFormed()).toBe(true);
      }
    });
  });

  it('gives nothing for blank text', () => {
    for (const text of ['', ' ', '\n\n\n', '\r\n\t\u3000\ufeff']) {
      expect([...markdown(text), ...plain(text), ...csv(text)]).toEqual([]);
    }
  });

  it('refuses a model that has hardly any room', () => {
    expect(() => plain('text', { maxTokens: 31 })).toThrow(RangeError);
  });

  it('fills chunks with whole paragraphs, and shares the last sentences with the next chunk', () => {
    const paragraph = (name: string) => `${name} says one thing. ${name} says another.`;
    const text = ['Ann', 'Bob', 'Eve', 'Joe'].map(paragraph).join('\n\n');
    const chunks = plain(text, { targetLength: 90, overlap: 25 });
    expect(contents(chunks)).toEqual([
      'Ann says one thing. Ann says another.\n\nBob says one thing. Bob says another.',
      'Bob says another.\n\nEve says one thing. Eve says another.',
      'Eve says another.\n\nJoe says one thing. Joe says another.',
    ]);
  });

  it('cuts a long paragraph at the ends of its sentences, Chinese and English', () => {
    const text = '知识库已经建好。现在可以上传文档！Version 3.14 of example.com is out. Does it work? 是的。';
    expect(contents(plain(text, { targetLength: 36, overlap: 0 }))).toEqual([
      '知识库已经建好。现在可以上传文档！',
      'Version 3.14 of example.com is out.',
      'Does it work? 是的。',
    ]);
  });

  it('cuts inside a sentence only where it must, after a space or a comma', () => {
    const chunks = plain('one two three four five six seven', { targetLength: 16, overlap: 0 });
    expect(contents(chunks)).toEqual(['one two three', 'four five six', 'seven']);
  });

  it('cuts between graphemes where nothing else is left', () => {
    for (const cluster of ['👩‍👩‍👧', '🇨🇳', 'e\u0301\u0316', '한']) {
      for (const content of contents(plain(cluster.repeat(60), { targetLength: 40, overlap: 0 }))) {
        expect(content.replaceAll(cluster, '')).toBe('');
      }
    }
  });

  it('keeps a chunk of Chinese within the tokens of the shipped model', () => {
    const chunks = plain('检索增强生成需要可靠的分段方法。'.repeat(100));
    for (const { tokenCount, content } of chunks)
      expect([tokenCount <= 480, content.endsWith('。')]).toEqual([true, true]);
  });
});

describe('chunkText on Markdown', () => {
  it('gives each section its headings, outermost first', () => {
    const body = 'Some words about this subject. '.repeat(10).trim();
    const text = `# Guide\n\n## Install ##\n${body}\n\n### On Linux\n${body}\n\nUpgrade\n-------\n${body}`;
    expect(markdown(text, { targetLength: 400 }).map(({ headingPath, content }) => [headingPath, content])).toEqual([
      [['Guide', 'Install'], `# Guide\n\n## Install ##\n${body}`],
      [['Guide', 'Install', 'On Linux'], `### On Linux\n${body}`],
      [['Guide', 'Upgrade'], `Upgrade\n-------\n${body}`],
    ]);
  });

  it('never ends a chunk with a heading', () => {
    const sentence = 'This is a sentence of forty characters. ';
    const chunks = markdown(`# Guide\n## Setup\n\n${sentence.repeat(19).trim()}`, { overlap: 0 });
    expect(chunks[0]!.content.startsWith(`# Guide\n## Setup\n\n${sentence}`)).toBe(true);
    expect(chunks.map(({ headingPath }) => headingPath)).toEqual(chunks.map(() => ['Guide', 'Setup']));
  });

  it('joins small sections of one subject under the heading they share', () => {
    const text = '# Shop\n## Opening\nFrom nine.\n## Closing\nAt five.\n# Office\nAlways.';
    expect(markdown(text).map(({ headingPath, content }) => [headingPath, content])).toEqual([
      [['Shop'], '# Shop\n## Opening\nFrom nine.\n## Closing\nAt five.'],
      [['Office'], '# Office\nAlways.'],
    ]);
  });

  it('keeps fenced code together, and reads no headings in it', () => {
    const code = `\`\`\`sh\n# not a heading\n\n${'make all\n'.repeat(12)}\`\`\``;
    const text = `# Build\n${'Before that, read this. '.repeat(5)}\n\n${code}\n\nAfter.`;
    const chunks = markdown(text, { targetLength: 200, overlap: 0 });
    expect(chunks.map(({ headingPath }) => headingPath)).toEqual([['Build'], ['Build']]);
    expect(chunks[1]!.content).toBe(`${code}\n\nAfter.`);
  });

  it('cuts code that is too long between its lines', () => {
    const text = `\`\`\`\n${'let value = compute(value);\n'.repeat(50)}\`\`\``;
    for (const line of contents(markdown(text, { targetLength: 200 })).flatMap((content) => content.split('\n'))) {
      expect(['```', 'let value = compute(value);']).toContain(line);
    }
  });

  it('gives headings no more than a quarter of the room, the innermost first', () => {
    const text = `# ${'Long '.repeat(38)}\n## Short\nBody.`;
    const [chunk] = markdown(text, { maxTokens: 100, targetLength: 100, overlap: 0 }).slice(-1);
    expect(chunk!.headingPath).toEqual(['Short']);
  });
});

describe('chunkText on CSV', () => {
  const table = 'name,city\nAnn,Rome\n"Bob\nJunior",Paris\nEve,"Los ""A"""\nJoe,Oslo\n';

  it('cuts between rows, names them, and repeats the header beside the content', () => {
    expect(
      csv(table, { targetLength: 30 }).map(({ content, range, headingPath }) => [content, range, headingPath]),
    ).toEqual([
      ['name,city\nAnn,Rome', '1:2', []],
      ['"Bob\nJunior",Paris', '3:3', ['name,city']],
      ['Eve,"Los ""A"""\nJoe,Oslo', '4:5', ['name,city']],
    ]);
  });

  it('marks its chunks as parts of a table', () => {
    expect(csv(table).map(({ kind, range }) => [kind, range])).toEqual([['table', '1:5']]);
  });

  it('takes the rest line by line after a quote that is never closed', () => {
    const text = 'size,note\n3,ok\n5,"inch\n7,ok\n9,ok\n';
    expect(contents(csv(text, { targetLength: 10 }))).toEqual(['size,note', '3,ok', '5,"inch', '7,ok\n9,ok']);
  });

  it('takes a quote inside a field for a sign, and counts blank rows', () => {
    const text = '\nsize\n5" pipe\n\n7" pipe\n';
    expect(csv(text, { targetLength: 10 }).map(({ content, range }) => [content, range])).toEqual([
      ['size', '2:2'],
      ['5" pipe', '3:3'],
      ['7" pipe', '5:5'],
    ]);
  });

  it('cuts a row that is too long, under its own number', () => {
    const chunks = csv(`a,b\n${'word '.repeat(40)},2\nx,y`, { targetLength: 80 });
    expect(chunks.map(({ range }) => range)).toEqual(['1:1', '2:2', '2:2', '2:3']);
  });
});

describe('chunkText on hostile input', () => {
  const hostile = {
    'one line of 256 KiB without a space': 'x'.repeat(262_144),
    'one line of 256 KiB of Chinese': '汉'.repeat(262_144),
    'only line ends': '\n'.repeat(262_144),
    'only spaces': ' '.repeat(262_144),
    'only combining marks, out of order': 'a' + '\u0301\u0316'.repeat(131_072),
    'joined emoji without an end': '👩\u200d'.repeat(87_000),
    '100,000 headings': '# h\n'.repeat(100_000),
    '100,000 headings with text': '# h\nx\n'.repeat(100_000),
    '100,000 nested headings': Array.from({ length: 100_000 }, (_, i) => `${'#'.repeat(1 + (i % 6))} h${i}\n`).join(''),
    'hashes and spaces': `# ${'# '.repeat(130_000)}x`,
    'fences that never close': '```\n~~~\n'.repeat(30_000),
    'full stops': '.'.repeat(262_144),
    'full stops and spaces': '. '.repeat(131_072),
    'Chinese full stops': '。'.repeat(262_144),
    'short paragraphs': 'a\n\n'.repeat(80_000),
    quotes: '"'.repeat(262_143),
    'rows of quotes': '"\n'.repeat(130_001),
    'list marks': '- '.repeat(131_072),
    'carriage returns': 'a\r'.repeat(131_072),
  };
  for (const [name, text] of Object.entries(hostile)) {
    it(`gets through ${name}`, () => {
      for (const contentType of ['txt', 'md', 'csv'] as const) {
        const chunks = chunkText(text, { contentType, ...shipped });
        expect(chunks.every(({ tokenCount }) => tokenCount <= 480)).toBe(true);
      }
    });
  }
});

function forAnyChunks(check: (chunks: Chunk[], text: string, options: ChunkOptions) => void): void {
  fc.assert(
    fc.property(anyText, anyOptions, (text, options) => check(chunkText(text, options), text, options)),
    { numRuns: 200 },
  );
}
