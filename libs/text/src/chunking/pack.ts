import { estimateTokens } from '../tokens/estimate-tokens.js';
import { sentencesOf, type Limits, type Unit } from './split.js';
import type { Span } from './span.js';

/**
 * Fills chunks with units in their order, each up to the limits. A chunk that follows another one starts with the last
 * sentences of that one, at most `overlap` UTF-16 code units, where they leave room for its first unit.
 */
export function packUnits(text: string, units: readonly Unit[], limits: Limits, overlap: number): Span[] {
  const chunks: Span[] = [];
  let open: Unit | undefined;
  for (const unit of units) {
    const joined: Unit | undefined = open && join(text, open, unit, limits);
    if (joined) {
      open = joined;
      continue;
    }
    if (open) chunks.push(open);
    const tail: Unit | undefined = open && trailingSentences(text, open, overlap);
    open = (tail && join(text, tail, unit, limits)) ?? unit;
  }
  return open ? [...chunks, open] : chunks;
}

function join(text: string, open: Unit, unit: Unit, limits: Limits): Unit | undefined {
  if (unit.end - open.start > limits.length) return undefined;
  const tokens = open.tokens + estimateTokens(text.slice(open.end, unit.start)) + unit.tokens;
  return tokens <= limits.tokens ? { start: open.start, end: unit.end, tokens } : undefined;
}

function trailingSentences(text: string, chunk: Unit, overlap: number): Unit | undefined {
  const earliest = chunk.end - overlap;
  const tail = sentencesOf(text, { start: Math.max(chunk.start, earliest - 1), end: chunk.end });
  const first = tail.find(({ start }) => start >= earliest && start > chunk.start);
  if (!first) return undefined;
  return { start: first.start, end: chunk.end, tokens: estimateTokens(text.slice(first.start, chunk.end)) };
}
