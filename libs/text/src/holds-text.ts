/**
 * Whether a text says something to search by: a letter, a number or a symbol. What has only white space, invisible
 * characters and punctuation would be near to everything and mean nothing.
 */
export function holdsText(text: string): boolean {
  return /[\p{L}\p{N}\p{S}]/u.test(text);
}
