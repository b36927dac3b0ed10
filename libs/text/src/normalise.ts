/**
 * The form in which text is stored, and to which every offset of the product refers: a leading byte order mark is
 * dropped; NUL, which PostgreSQL can't store, and lone surrogates become U+FFFD. Line ends stay as they are.
 */
export function normaliseText(text: string): string {
  const withoutMark = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return withoutMark.replaceAll('\0', '\uFFFD').toWellFormed();
}
