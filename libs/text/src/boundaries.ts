const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

// Longer clusters exist (any number of combining marks), but splitting those beats scanning a whole line for their start.
const graphemeWindow = 64;

/** The offset, or the one before it where it lies inside a surrogate pair. */
export function alignToCodePoint(text: string, offset: number): number {
  const before = text.charCodeAt(offset - 1);
  const after = text.charCodeAt(offset);
  const insidePair = before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
  return insidePair ? offset - 1 : offset;
}

/** The start of the grapheme cluster around the offset; of its code point where the cluster is longer than 64 units. */
export function alignToGrapheme(text: string, offset: number): number {
  if (offset <= 0 || offset >= text.length) return offset;
  const windowStart = alignToCodePoint(text, Math.max(0, offset - graphemeWindow));
  const window = text.slice(windowStart, offset + graphemeWindow);
  const cluster = graphemes.segment(window).containing(offset - windowStart);
  const start = windowStart + (cluster?.index ?? 0);
  const reachesWindowStart = start === windowStart && windowStart > 0;
  return reachesWindowStart ? alignToCodePoint(text, offset) : start;
}
