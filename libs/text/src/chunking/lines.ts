import { isBlank, type Block, type Span } from './span.js';

const lineEnd = /\r\n?|\n/g;

/** The lines of a span, each with its line end. */
export function linesOf(text: string, span: Span = { start: 0, end: text.length }): Span[] {
  const lines: Span[] = [];
  let start = span.start;
  lineEnd.lastIndex = start;
  while (start < span.end) {
    const match = lineEnd.exec(text);
    const end = match ? Math.min(lineEnd.lastIndex, span.end) : span.end;
    lines.push({ start, end });
    start = end;
  }
  return lines;
}

/** Paragraphs: runs of lines between blank ones. */
export function paragraphsOf(text: string, lines: readonly Span[], kindOf: (first: string) => Block['kind']): Block[] {
  const paragraphs: Block[] = [];
  let open: Block | undefined;
  for (const line of lines) {
    if (isBlank(text, line)) {
      if (open) paragraphs.push(open);
      open = undefined;
    } else {
      open = open ? { ...open, end: line.end } : { ...line, kind: kindOf(text.slice(line.start, line.end)) };
    }
  }
  return open ? [...paragraphs, open] : paragraphs;
}
