import { alignToCodePoint } from './boundaries.js';

export interface WellFormedSlice {
  readonly text: string;
  /** Where the next slice starts, in UTF-16 code units; absent at the end. */
  readonly nextOffset?: number;
}

/**
 * At most `limit` UTF-16 code units from `offset` on, never half a surrogate pair: an offset inside a pair moves to
 * the pair's start, and a pair that doesn't fit is left to the next slice (or taken whole where the limit is 1).
 */
export function sliceWellFormed(text: string, offset: number, limit: number): WellFormedSlice {
  const start = alignToCodePoint(text, Math.min(Math.max(0, offset), text.length));
  const end = alignToCodePoint(text, Math.min(text.length, start + Math.max(1, limit)));
  const progressed = end > start || start === text.length ? end : start + 2;
  const slice = text.slice(start, progressed);
  return progressed < text.length ? { text: slice, nextOffset: progressed } : { text: slice };
}
