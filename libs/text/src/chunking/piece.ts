import { estimateTokens } from '../tokens/estimate-tokens.js';
import type { Limits } from './split.js';
import type { Span } from './span.js';

/** A chunk to be: where it stands, and under what. */
export interface Piece extends Span {
  readonly kind: 'text' | 'table';
  readonly headingPath: readonly string[];
  /** Rows of a table in A1 notation. */
  readonly range?: string;
}

// Headings are context; the passage itself keeps at least three quarters of the room.
const contextShare = 1 / 4;

/** What is embedded and indexed for a chunk: its headings, which give it its context, and its content. */
export function searchableText(chunk: { readonly headingPath: readonly string[]; readonly content: string }): string {
  return contextOf(chunk.headingPath) + chunk.content;
}

/** The innermost headings that fit into the share of the room that context may take. */
export function fittingPath(headingPath: readonly string[], maxTokens: number): readonly string[] {
  const first = headingPath.findIndex((_, at) => contextTokens(headingPath.slice(at)) <= maxTokens * contextShare);
  return first === -1 ? [] : headingPath.slice(first);
}

/** The limits that are left to the content under these headings. */
export function limitsUnder(headingPath: readonly string[], limits: Limits): Limits {
  return { length: limits.length, tokens: limits.tokens - contextTokens(headingPath) };
}

function contextTokens(headingPath: readonly string[]): number {
  return headingPath.length === 0 ? 0 : estimateTokens(contextOf(headingPath));
}

function contextOf(headingPath: readonly string[]): string {
  return headingPath.length === 0 ? '' : `${headingPath.join(' > ')}\n`;
}
