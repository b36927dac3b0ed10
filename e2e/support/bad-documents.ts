import { randomBytes } from 'node:crypto';

/** A document that must be refused, and what its refusal has to say. */
export interface RefusedDocument {
  readonly content: string;
  /** Bytes to put in place of `content`, as a script sends a file that it has not decoded. */
  readonly bytes?: Uint8Array;
  readonly status: 200 | 400;
  readonly words: RegExp;
}

/** 中文的名称 and so on: text of GBK, which is no UTF-8. */
const gbk = Buffer.from('d6d0cec4b5c4c3fbb3c6d6d0b9facac0bde7', 'hex');
/** Zipped, as office files are. */
const binary = Buffer.concat([Buffer.from('PK\u0003\u0004'), randomBytes(4000)]);
const ascii = 'A long report of plain letters, '.repeat(60);

const notText = /binary file or like text in another encoding than UTF-8\. Save it as UTF-8 text and upload that/;
const nothing = /content: is empty.*give the text of the document/i;
const misread = /looks like (UTF-8|GBK) text that was read as Latin-1\. Read the file as \1 and upload its text/;
const tooLarge = /content: takes at most 262144 bytes of UTF-8; split the text and upload its parts/;
const notUtf8 = /body is not UTF-8\. Convert the text to UTF-8 and send it again/;

export const refusedDocuments: Record<string, RefusedDocument> = {
  'no text': { content: '', status: 200, words: nothing },
  'white space': { content: ' \r\n\t\u3000\ufeff', status: 200, words: nothing },
  'invisible characters': { content: '\u200b\u2060\u200e', status: 200, words: nothing },
  '300 KiB': { content: 'word '.repeat((300 * 1024) / 5), status: 200, words: tooLarge },
  '100,000 headings of four bytes': { content: '# h\n'.repeat(100_000), status: 200, words: tooLarge },
  'a binary file read as UTF-8': { content: binary.toString('utf8'), status: 200, words: notText },
  'a binary file read as Latin-1': { content: binary.toString('latin1'), status: 200, words: notText },
  'a binary file as it is': { content: '', bytes: Buffer.from(binary.filter(isPlain)), status: 400, words: notUtf8 },
  'NUL bytes': { content: '\0'.repeat(100), status: 200, words: notText },
  'UTF-16 read as bytes': { content: [...'plain text'].join('\0'), status: 200, words: notText },
  'halves of surrogate pairs': { content: '\ud83d \udc00 '.repeat(20), status: 200, words: notText },
  'GBK read as UTF-8': { content: gbk.toString('utf8'), status: 200, words: notText },
  'GBK read as Latin-1': { content: gbk.toString('latin1'), status: 200, words: misread },
  'UTF-8 read as Latin-1': { content: Buffer.from('备份与恢复').toString('latin1'), status: 200, words: misread },
  'GBK as it is': { content: '', bytes: gbk, status: 400, words: notUtf8 },
  'some GBK in much ASCII': {
    content: '',
    bytes: Buffer.concat([Buffer.from(ascii), gbk]),
    status: 400,
    words: notUtf8,
  },
};

/** Leaves out what would end the JSON string that the bytes are put into. */
function isPlain(byte: number): boolean {
  return byte >= 0x20 && byte !== 0x22 && byte !== 0x5c;
}

/** A document that is strange and may be stored, with a question that has to find it. */
export interface StrangeDocument {
  readonly fileName: string;
  readonly content: string;
  readonly query: string;
}

const words = (prefix: string): string => Array.from({ length: 40_000 }, (_, at) => `${prefix}${at}`).join(' ');

export const strangeDocuments: Record<string, StrangeDocument> = {
  'a NUL byte in text': {
    fileName: 'nul.txt',
    content: `The lighthouse keeper of Anvil Rock \0 counts 47 ships a night. ${'Waves come and go. '.repeat(5)}`,
    query: 'lighthouse keeper Anvil Rock',
  },
  'half of a surrogate pair in text': {
    fileName: 'surrogate.md',
    content: `# Ferry \ud83d\n\nThe ferry to Brindle Island leaves at six. ${'It waits for nobody. '.repeat(5)}`,
    query: 'ferry Brindle Island',
  },
  'one line of 256 KiB': {
    fileName: 'line.txt',
    content: `${words('w').slice(0, 131_000)} quagmire-observatory ${words('v')}`.slice(0, 256 * 1024),
    query: 'quagmire-observatory',
  },
  '100,000 headings': {
    fileName: 'headings.md',
    content: `${'#\n'.repeat(100_000)}\nThe xylophone orchestra plays below them.\n`,
    query: 'xylophone orchestra',
  },
};
