import { alignToCodePoint, alignToGrapheme } from '../boundaries.js';
import { estimateTokens } from '../tokens/estimate-tokens.js';
import { linesOf } from './lines.js';
import type { Block, Span } from './span.js';

export interface Limits {
  /** UTF-16 code units. */
  readonly length: number;
  readonly tokens: number;
}

/** A stretch that goes into one chunk as a whole. */
export interface Unit extends Span {
  readonly tokens: number;
}

// A full stop ends a sentence only before a space (3.14, example.com); Chinese and Japanese marks always do, and so does
// the line before an item of a list. The look-behind keeps a long run of marks from being tried from each of them.
const sentenceEnd =
  /[。！？；｡…][。！？；｡…”’」』）》】]*|(?<![.!?])[.!?]+["'”’)\]]*(?=\s)|\n(?=[ \t]*(?:[-*+•|]|\d{1,9}[.)])[ \t])/gu;
const softBreak = /[\s,，、；;：:）)\]】]/u;

/** The block as one unit where it fits, else its sentences or lines, else pieces of those. */
export function splitBlock(text: string, block: Block, limits: Limits): Unit[] {
  const whole = asUnit(text, block, limits);
  if (whole) return [whole];
  const parts = block.kind === 'lines' ? linesOf(text, block) : sentencesOf(text, block);
  return parts.flatMap((part) => splitPart(text, part, limits));
}

/** The sentences of a span; together they cover it. */
export function sentencesOf(text: string, span: Span): Span[] {
  const sentences: Span[] = [];
  let start = span.start;
  // On the span's own text, since a search for an end that isn't there would run on to the end of the document.
  for (const match of text.slice(span.start, span.end).matchAll(sentenceEnd)) {
    const end = span.start + match.index + match[0].length;
    sentences.push({ start, end });
    start = end;
  }
  return start < span.end ? [...sentences, { start, end: span.end }] : sentences;
}

function splitPart(text: string, part: Span, limits: Limits): Unit[] {
  const units: Unit[] = [];
  let start = part.start;
  while (start < part.end) {
    const unit = longestUnit(text, { start, end: part.end }, limits);
    units.push(unit);
    start = unit.end;
  }
  return units;
}

function longestUnit(text: string, rest: Span, limits: Limits): Unit {
  let length = Math.min(limits.length, rest.end - rest.start);
  for (;;) {
    const end = rest.start + length === rest.end ? rest.end : breakBefore(text, rest.start, rest.start + length);
    const tokens = estimateTokens(text.slice(rest.start, end));
    if (tokens <= limits.tokens || length <= 1) return { start: rest.start, end, tokens };
    length = Math.max(1, Math.floor(length * Math.min(0.9, limits.tokens / tokens)));
  }
}

/** The best place to cut in (start, end]: after a space or comma in the second half, else between graphemes. */
function breakBefore(text: string, start: number, end: number): number {
  const earliest = start + Math.ceil((end - start) / 2);
  for (let at = end; at > earliest; at -= 1) if (softBreak.test(text.charAt(at - 1))) return at;
  for (const cut of [alignToGrapheme(text, end), alignToCodePoint(text, end)]) if (cut > start) return cut;
  return end + 1;
}

function asUnit(text: string, span: Span, limits: Limits): Unit | undefined {
  if (span.end - span.start > limits.length) return undefined;
  const tokens = estimateTokens(text.slice(span.start, span.end));
  return tokens <= limits.tokens ? { start: span.start, end: span.end, tokens } : undefined;
}
