import { linesOf } from './lines.js';
import type { Span } from './span.js';

/**
 * The rows of a CSV text, blank ones too. A quoted field may hold line ends; where a quote is never closed, the rest of
 * the text is taken line by line, so that one stray quote doesn't swallow the table.
 */
export function csvRows(text: string): Span[] {
  const rows: Span[] = [];
  let open: Span | undefined;
  for (const line of linesOf(text)) {
    const row: Span = { start: open?.start ?? line.start, end: line.end };
    const unfinished = endsInQuotes(text, line, open !== undefined);
    if (!unfinished) rows.push(row);
    open = unfinished ? row : undefined;
  }
  return open ? [...rows, ...linesOf(text, { start: open.start, end: text.length })] : rows;
}

function endsInQuotes(text: string, line: Span, startsInQuotes: boolean): boolean {
  let inQuotes = startsInQuotes;
  let fieldStarts = !startsInQuotes;
  for (const character of text.slice(line.start, line.end)) {
    // Two quotes inside a quoted field stand for one: the field ends and at once begins again.
    if (character === '"' && (inQuotes || fieldStarts)) {
      inQuotes = !inQuotes;
      fieldStarts = !inQuotes;
    } else fieldStarts = /[,;\t]/.test(character);
  }
  return inQuotes;
}
