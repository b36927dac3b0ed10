import { Jieba } from '@node-rs/jieba';
import { dict } from '@node-rs/jieba/dict.js';
import { stemEnglish } from './stem-english.js';
import { stopWords } from './stop-words.js';

const jieba = Jieba.withDict(dict);

const han = String.raw`\p{Script=Han}`;
// Other scripts that put no spaces between words, or (Korean) put endings on them.
const unspaced = ['Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('');
const letter = String.raw`(?:(?![${han}${unspaced}ー])[\p{L}\p{N}\p{M}])`;
const runs = new RegExp(
  String.raw`(?<unspaced>[${han}${unspaced}ー]+)|${letter}+(?:[._\-@/:'’,]${letter}+)*(?:\+\+|#)?`,
  'gu',
);
const needsBigrams = new RegExp(`[${unspaced}]`, 'u');
const joiners = /[._\-@/:,]/u;
const insideWord = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u;
const decimal = /^\d+\.\d+$/;
const version = /^v\d+\./i;
const thousands = /^\d{1,3}(?:,\d{3})+$/;

// No script puts more marks on a letter, and normalising takes time quadratic in their number.
const heapedMarks = /(\p{M}{8})\p{M}+/gu;

// A longer whole (a URL, a data blob) is never typed as one word; its parts are enough.
const longestWhole = 64;

/**
 * The terms of a text in their order, repeated as they occur; the same for documents and for queries. Chinese is cut
 * by jieba into words and the words inside them, English is stemmed, identifiers give themselves and their parts.
 */
export function segment(text: string): string[] {
  const terms: string[] = [];
  for (const match of text.replace(heapedMarks, '$1').normalize('NFKC').matchAll(runs)) {
    if (match.groups?.['unspaced']) addUnspaced(match[0], terms);
    else addWord(match[0], terms);
  }
  return terms;
}

/** Words where jieba knows some; pairs of characters in other scripts and where it falls back to single ones. */
function addUnspaced(run: string, terms: string[]): void {
  if (needsBigrams.test(run)) {
    addBigrams(run, terms);
    return;
  }
  let singles = '';
  for (const word of jieba.cutForSearch(run, true)) {
    const single = word.length === 1;
    if (!stopWords.has(word)) terms.push(word);
    if (single && !stopWords.has(word)) singles += word;
    else {
      if (singles.length > 1) addBigrams(singles, terms);
      singles = '';
    }
  }
  if (singles.length > 1) addBigrams(singles, terms);
}

function addBigrams(run: string, terms: string[]): void {
  const characters = Array.from(run);
  if (characters.length === 1) terms.push(run);
  for (let i = 1; i < characters.length; i += 1) terms.push(`${characters[i - 1]}${characters[i]}`);
}

function addWord(written: string, terms: string[]): void {
  if (thousands.test(written)) {
    terms.push(written.replaceAll(',', ''));
    return;
  }
  for (const piece of written.split(/,/u)) addIdentifier(piece, terms);
}

/** An identifier or a compound is found as a whole, with or without its hyphens, and by each of its parts. */
function addIdentifier(written: string, terms: string[]): void {
  const word = written.replaceAll('’', "'").replace(/'s?$/i, '');
  const parts = word.split(joiners).flatMap((part) => part.split(insideWord));
  if (word.length <= longestWhole) addPlain(word.toLowerCase().replaceAll('-', ''), terms);
  if (parts.length === 1 || decimal.test(word)) return;
  if (version.test(word)) terms.push(word.slice(1).toLowerCase());
  for (const part of parts) if (part.length > 1 || /\p{N}/u.test(part)) addPlain(part.toLowerCase(), terms);
}

function addPlain(word: string, terms: string[]): void {
  if (stopWords.has(word)) return;
  terms.push(/^[a-z]+$/.test(word) ? stemEnglish(word) : word);
}
