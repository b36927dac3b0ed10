import { normaliseText } from '@lectern/text';

/** Text that can be stored: what PostgreSQL can't hold is replaced. */
export function cleanText(text: string): string {
  return normaliseText(text);
}

/** A name in one line: control characters and line ends become blanks. */
export function cleanLine(text: string): string {
  return normaliseText(text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')).trim();
}
