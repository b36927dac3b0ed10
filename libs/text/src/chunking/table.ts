import { csvRows } from './csv.js';
import { packUnits } from './pack.js';
import { fittingPath, limitsUnder, type Piece } from './piece.js';
import { isBlank, type Span } from './span.js';
import { splitBlock, type Limits } from './split.js';

/**
 * The pieces of a CSV text: whole rows where they fit. A piece that doesn't hold the header row has it as its heading,
 * so that the content stays a slice of the text.
 */
export function tablePieces(text: string, limits: Limits): Piece[] {
  const rows = csvRows(text);
  const filled = rows.filter((row) => !isBlank(text, row));
  const header = filled.at(0);
  if (!header) return [];
  const headingPath = headerPath(text, header, limits);
  const left = limitsUnder(headingPath, limits);
  const units = filled.flatMap((row) => splitBlock(text, { ...row, kind: 'lines' }, left));
  const ranges = new RowRanges(rows);
  return packUnits(text, units, left, 0).map((piece) => ({
    start: piece.start,
    end: piece.end,
    kind: 'table',
    headingPath: piece.start < header.end ? [] : headingPath,
    range: ranges.next(piece),
  }));
}

function headerPath(text: string, header: Span, limits: Limits): readonly string[] {
  if (header.end - header.start > limits.length) return [];
  return fittingPath([text.slice(header.start, header.end).trim()], limits.tokens);
}

/** Finds the rows of pieces that come in the order of the text. */
class RowRanges {
  readonly #rows: readonly Span[];
  #first = 0;

  constructor(rows: readonly Span[]) {
    this.#rows = rows;
  }

  next(piece: Span): string {
    while (this.#rows[this.#first]!.end <= piece.start) this.#first += 1;
    let last = this.#first;
    while (last + 1 < this.#rows.length && this.#rows[last + 1]!.start < piece.end) last += 1;
    return `${this.#first + 1}:${last + 1}`;
  }
}
