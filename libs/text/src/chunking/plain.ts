import { linesOf, paragraphsOf } from './lines.js';
import type { Section } from './span.js';

/** Plain text: one section of paragraphs. */
export function plainSections(text: string): Section[] {
  const blocks = paragraphsOf(text, linesOf(text), () => 'prose');
  return blocks.length === 0 ? [] : [{ headingPath: [], hasBody: true, blocks }];
}
