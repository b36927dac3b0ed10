import { packUnits } from './pack.js';
import { fittingPath, limitsUnder, type Piece } from './piece.js';
import { groupSections } from './sections.js';
import { splitBlock, type Limits } from './split.js';
import type { Section } from './span.js';

/** The pieces of sections: none crosses a section that can stand alone. */
export function prosePieces(text: string, sections: readonly Section[], limits: Limits, overlap: number): Piece[] {
  return groupSections(sections, limits.length).flatMap((section) => {
    const headingPath = fittingPath(section.headingPath, limits.tokens);
    const left = limitsUnder(headingPath, limits);
    const units = section.blocks.flatMap((block) => splitBlock(text, block, left));
    return packUnits(text, units, left, overlap).map(({ start, end }) => ({ start, end, kind: 'text', headingPath }));
  });
}
