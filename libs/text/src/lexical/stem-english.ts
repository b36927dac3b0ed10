// The English stemmer of the Snowball project ("Porter 2"). A y that acts as a consonant is written Y on the way.

const irregular: Readonly<Record<string, string>> = {
  skis: 'ski',
  skies: 'sky',
  dying: 'die',
  lying: 'lie',
  tying: 'tie',
  idly: 'idl',
  gently: 'gentl',
  ugly: 'ugli',
  early: 'earli',
  only: 'onli',
  singly: 'singl',
};
const invariant = new Set(['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes']);
const invariantSingular = new Set('inning outing canning herring earring proceed exceed succeed'.split(' '));

const vowel = /[aeiouy]/;
const shortSyllableAtEnd = /(?:^|[^aeiouy])[aeiouy][^aeiouywxY]$|^[aeiouy][^aeiouy]$/;
const doubleAtEnd = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;

type Endings = readonly (readonly [ending: string, replacement: string, condition?: RegExp])[];

// Longer endings come before the endings that they end in, since only the longest that matches counts.
const derivations: Endings = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
  ['ogi', 'og', /l$/],
  ['li', '', /[cdeghkmnrt]$/],
];
const furtherDerivations: Endings = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];
const suffixes: Endings = [
  ['ement', ''],
  ['ance', ''],
  ['ence', ''],
  ['able', ''],
  ['ible', ''],
  ['ment', ''],
  ['ant', ''],
  ['ent', ''],
  ['ism', ''],
  ['ate', ''],
  ['iti', ''],
  ['ous', ''],
  ['ive', ''],
  ['ize', ''],
  ['ion', '', /[st]$/],
  ['al', ''],
  ['er', ''],
  ['ic', ''],
];

/** The stem of an English word in lower case: `connections` and `connected` give `connect`. */
export function stemEnglish(word: string): string {
  if (word.length <= 2 || invariant.has(word)) return word;
  if (Object.hasOwn(irregular, word)) return irregular[word]!;
  const marked = word.replace(/^y|(?<=[aeiouy])y/g, 'Y');
  const first = /^(?:gener|commun|arsen)/.exec(marked)?.[0].length ?? regionStart(marked, 0);
  const second = regionStart(marked, first);
  const singular = withoutPlural(marked);
  if (invariantSingular.has(singular)) return singular;
  let stem = withoutParticiple(singular, first).replace(/(?<=.[^aeiouy])[yY]$/, 'i');
  stem = replaceEnding(stem, derivations, first);
  stem = stem.endsWith('ative')
    ? replaceEnding(stem, [['ative', '']], second)
    : replaceEnding(stem, furtherDerivations, first);
  stem = replaceEnding(stem, suffixes, second);
  return withoutFinalLetter(stem, first, second).toLowerCase();
}

/** Where the part begins that follows the first vowel and consonant after `from`: endings are taken off only there. */
function regionStart(word: string, from: number): number {
  const at = word.slice(from).search(/[aeiouy][^aeiouy]/);
  return at === -1 ? word.length : from + at + 2;
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (/ie[sd]$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1);
  if (/[us]s$/.test(word) || !word.endsWith('s')) return word;
  return vowel.test(word.slice(0, -2)) ? word.slice(0, -1) : word;
}

function withoutParticiple(word: string, first: number): string {
  const agreed = /eed(?:ly)?$/.exec(word);
  if (agreed) return agreed.index >= first ? `${word.slice(0, agreed.index)}ee` : word;
  const participle = /(?:ed|ing)(?:ly)?$/.exec(word);
  if (!participle || !vowel.test(word.slice(0, participle.index))) return word;
  const stem = word.slice(0, participle.index);
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (doubleAtEnd.test(stem)) return stem.slice(0, -1);
  return shortSyllableAtEnd.test(stem) && first >= stem.length ? `${stem}e` : stem;
}

function replaceEnding(word: string, endings: Endings, region: number): string {
  const match = endings.find(([ending]) => word.endsWith(ending));
  if (!match) return word;
  const [ending, replacement, condition] = match;
  const rest = word.slice(0, -ending.length);
  return rest.length >= region && (!condition || condition.test(rest)) ? rest + replacement : word;
}

function withoutFinalLetter(word: string, first: number, second: number): string {
  const rest = word.slice(0, -1);
  if (word.endsWith('e')) {
    const removable = rest.length >= second || (rest.length >= first && !shortSyllableAtEnd.test(rest));
    return removable ? rest : word;
  }
  return word.endsWith('ll') && rest.length >= second ? rest : word;
}
