import { estimateTokens } from '../tokens/estimate-tokens.js';
import { markdownSections } from './markdown.js';
import { searchableText, type Piece } from './piece.js';
import { plainSections } from './plain.js';
import { prosePieces } from './prose.js';
import { trimSpan } from './span.js';
import { tablePieces } from './table.js';

export interface ChunkOptions {
  readonly contentType: 'txt' | 'md' | 'csv';
  /** No chunk has more tokens, its headings included; at least 32. */
  readonly maxTokens: number;
  /** UTF-16 code units that a chunk aims at and doesn't exceed; 800 unless given. */
  readonly targetLength?: number;
  /** UTF-16 code units that neighbours share at most, at sentence borders; 120 unless given. */
  readonly overlap?: number;
}

export interface Chunk {
  /** 0 for the first chunk of the text. */
  readonly ordinal: number;
  readonly kind: 'text' | 'table';
  /** Exactly `text.slice(startOffset, endOffset)`. */
  readonly content: string;
  readonly startOffset: number;
  readonly endOffset: number;
  /** Headings above the chunk, outermost first; of a table its header row, where the chunk doesn't hold that itself. */
  readonly headingPath: string[];
  /** Upper bound of the tokens of `searchableText(chunk)`. */
  readonly tokenCount: number;
  /** Sheet of a table, in formats that have sheets. */
  readonly sheet?: string;
  /** Rows of a table in A1 notation, counted from 1 with the header and blank ones: `2:41`. */
  readonly range?: string;
}

// One code point may become 18 under NFKC, and three quarters of the room have to hold it.
const fewestTokens = 32;

/**
 * Cuts normalised text into chunks by its structure: sections, paragraphs and fenced code, sentences or rows, and only
 * then in between. All that isn't white space is in some chunk; blank text gives none. Takes time linear in the text.
 */
export function chunkText(text: string, options: ChunkOptions): Chunk[] {
  if (options.maxTokens < fewestTokens) throw new RangeError(`maxTokens must be at least ${fewestTokens}`);
  return piecesOf(text, options)
    .flatMap((piece) => trimSpan(text, piece) ?? [])
    .map((piece, ordinal) => toChunk(text, piece, ordinal));
}

function piecesOf(text: string, options: ChunkOptions): Piece[] {
  const limits = { length: options.targetLength ?? 800, tokens: options.maxTokens };
  if (options.contentType === 'csv') return tablePieces(text, limits);
  const sections = options.contentType === 'md' ? markdownSections(text) : plainSections(text);
  return prosePieces(text, sections, limits, options.overlap ?? 120);
}

function toChunk(text: string, { start, end, kind, headingPath, range }: Piece, ordinal: number): Chunk {
  const content = text.slice(start, end);
  const tokenCount = estimateTokens(searchableText({ headingPath, content }));
  const chunk = {
    ordinal,
    kind,
    content,
    startOffset: start,
    endOffset: end,
    headingPath: [...headingPath],
    tokenCount,
  };
  return range === undefined ? chunk : { ...chunk, range };
}
