/**
 * The little that the vocabularies of the known models have in common, in which everything else is a superset. The spec
 * beside this file checks each entry against the real tokenizers.
 */

/** Letters that are one token together rather than two, by the first of them. */
export const followingLetters: Readonly<Record<string, string>> = {
  a: 'bcdfghiklmnprstuv',
  b: 'abceioty',
  c: 'acdehiklmnoprst',
  d: 'abdeiorstu',
  e: 'cdeflmnprstvx',
  f: 'acefitu',
  g: 'abegilopst',
  h: 'adeikoru',
  i: 'cdefgilmnoprstu',
  j: 'ios',
  k: 'agkmoy',
  l: 'aceiloptuvy',
  m: 'abdegilmopsuy',
  n: 'acegiopst',
  o: 'bfhklnoprs',
  p: 'acehimoprstu',
  q: 'iq',
  r: 'acdefopstu',
  s: 'acehikoptu',
  t: 'aeiostvw',
  u: 'aciklps',
  v: 'aceirs',
  w: 'deiu',
  x: 'ix',
  y: 'aiuy',
};

/** Words that are one token between spaces. */
export const commonWords: ReadonlySet<string> = new Set(
  `the of and in to a is as that by with was for on from are or be it an has at its have not his also first other
but this most more can all two than one into they who time he after there only new no under may years number
over three about some when up made now where if what use set work before second do so people small last will
long out type name order common main end very change just line low come general great water back place run we
how life make right take part well state city world data system our you your she her i my me`.split(/\s+/),
);
