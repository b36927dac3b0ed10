import { linesOf } from './lines.js';
import { isBlank, type Span } from './span.js';

/**
 * The rows of a CSV text. A quoted field may hold line ends; where a quote is never closed, the rest of the text is
 * taken line by line, so that one stray quote doesn't swallow the table.
 */
export function csvRows(text: string): Span[] {
  const rows: Span[] = [];
  let open: Span | undefined;
  for (const line of linesOf(text)) {
    const row: Span = { start: open?.start ?? line.start, end: line.end };
    const balanced = countQuotes(text, line) % 2 === 0;
    const closed = balanced === (open === undefined);
    if (closed) rows.push(row);
    open = closed ? undefined : row;
  }
  const unclosed = open ? linesOf(text, { start: open.start, end: text.length }) : [];
  return [...rows, ...unclosed].filter((row) => !isBlank(text, row));
}

function countQuotes(text: string, line: Span): number {
  let quotes = 0;
  for (let i = line.start; i < line.end; i += 1) if (text.charCodeAt(i) === 0x22) quotes += 1;
  return quotes;
}
