import { commonWords, followingLetters } from './vocabulary.js';

/**
 * An upper bound of the tokens that the known embedding models make of a text, special tokens and prefix not counted.
 *
 * Their vocabularies hold every character, so a text never has more tokens than characters and spaces. They also hold
 * the words and letter pairs of `vocabulary.ts`, and neither a unigram nor a longest-match tokenizer leaves such a pair
 * as two tokens; the bound is the largest number of pieces for which this holds.
 */
export function estimateTokens(text: string): number {
  const composed = mostPieces(text.normalize('NFKC'));
  // Models without NFKC see the text as it is, which may be the longer one.
  return isAscii(text) ? composed : Math.max(composed, mostPieces(text));
}

function mostPieces(text: string): number {
  let pieces = text.endsWith(' ') ? 1 : 0;
  for (const word of text.split(' ')) if (word !== '') pieces += commonWords.has(word) ? 1 : mostPiecesOf(word);
  return pieces;
}

/** Each character is a piece, and so is the space before the word, less what has to join to keep pairs together. */
function mostPiecesOf(word: string): number {
  let pieces = 1;
  let previous = ' ';
  // Joining the second letter of a pair to its right-hand neighbour keeps this pair and the next two from being apart.
  let pairsKept = 0;
  for (const character of word) {
    if (pairsKept > 0) {
      pairsKept -= 1;
      pieces += 1;
    } else if (merge(previous, character)) pairsKept = 2;
    else pieces += 1;
    previous = character;
  }
  return pieces;
}

function merge(first: string, second: string): boolean {
  return first === ' ' ? /^[a-z0-9]$/i.test(second) : (followingLetters[first]?.includes(second) ?? false);
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}
