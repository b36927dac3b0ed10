/** A stretch of the text, in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A piece of structure that is kept together where it fits; otherwise it is split as its kind says. */
export interface Block extends Span {
  readonly kind: 'heading' | 'prose' | 'lines';
}

/** Blocks that stand under the same headings. */
export interface Section {
  readonly headingPath: readonly string[];
  /** Something else than the heading stands here. */
  readonly hasBody: boolean;
  readonly blocks: readonly Block[];
}

export function isBlank(text: string, span: Span): boolean {
  return text.slice(span.start, span.end).trim() === '';
}

/** The span without the whitespace at its ends; undefined where nothing is left. */
export function trimSpan<S extends Span>(text: string, span: S): S | undefined {
  const content = text.slice(span.start, span.end).trimStart();
  const start = span.end - content.length;
  return content === '' ? undefined : { ...span, start, end: start + content.trimEnd().length };
}
