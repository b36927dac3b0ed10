// Digits, and letters of other scripts, that look like the Latin letter they stand for.
const disguises: Readonly<Record<string, string>> = {
  a: 'аɑα',
  c: 'сϲᴄ',
  d: 'ԁᴅɗ',
  e: '3еєεᴇɛҽ',
  h: 'һʜ',
  l: '1iіιıӏʟ',
  n: 'пηոռɴ',
  o: '0оοօ',
  p: 'рρ',
  r: 'гʀɾ',
  s: '5ѕꜱƨ',
  t: '7тτᴛ',
  u: 'цυսᴜ',
};

const undisguised = new Map(
  Object.entries(disguises).flatMap(([letter, disguised]) =>
    Array.from(disguised, (other) => [other, letter] as const),
  ),
);

/** What a reader takes a text for: its letters and digits alone, without case, marks, spaces and disguises. */
export interface LetterView {
  readonly letters: string;
  /** The offset in the text of each code unit of the view, both in UTF-16 code units. */
  readonly offsets: readonly number[];
}

/** Reads through full-width and mathematical letters, homoglyphs, combining marks and invisible characters. */
export function letterViewOf(text: string): LetterView {
  let letters = '';
  const offsets: number[] = [];
  let offset = 0;
  for (const character of text) {
    const seen = lettersOf(character);
    letters += seen;
    for (let i = 0; i < seen.length; i += 1) offsets.push(offset);
    offset += character.length;
  }
  return { letters, offsets };
}

const lettersOfAscii = Array.from({ length: 128 }, (_, code) => readLetters(String.fromCharCode(code)));

function lettersOf(character: string): string {
  const isIdeograph = character >= '\u4e00' && character <= '\u9fff';
  return isIdeograph ? character : (lettersOfAscii[character.charCodeAt(0)] ?? readLetters(character));
}

function readLetters(character: string): string {
  const plain = Array.from(character.normalize('NFKD').toLowerCase());
  return plain
    .map((letter) => undisguised.get(letter) ?? letter)
    .filter(isVisibleLetter)
    .join('');
}

function isVisibleLetter(letter: string): boolean {
  // The fillers are letters to Unicode and nothing to the eye.
  return /^[\p{L}\p{N}]$/u.test(letter) && !/^[\u115f\u1160\u3164\uffa0]$/.test(letter);
}
