import { packUnits } from './pack.js';
import { fittingPath, limitsUnder, type Piece } from './piece.js';
import { groupSections } from './sections.js';
import { splitBlock, type Limits } from './split.js';
import type { Block, Section } from './span.js';

/** The pieces of sections: none crosses a section that can stand alone. */
export function prosePieces(text: string, sections: readonly Section[], limits: Limits, overlap: number): Piece[] {
  return groupSections(sections, limits.length).flatMap((section) => {
    const headingPath = fittingPath(section.headingPath, limits.tokens);
    const left = limitsUnder(headingPath, limits);
    const units = withHeadings(section.blocks).flatMap((block) => splitBlock(text, block, left));
    return packUnits(text, units, left, overlap).map(({ start, end }) => ({ start, end, kind: 'text', headingPath }));
  });
}

/** Makes headings part of the block that follows them, so that none ends a chunk. */
function withHeadings(blocks: readonly Block[]): Block[] {
  const joined: Block[] = [];
  let heading: Block | undefined;
  for (const block of blocks) {
    const whole: Block = { ...block, start: heading?.start ?? block.start };
    heading = block.kind === 'heading' ? whole : undefined;
    if (!heading) joined.push(whole);
  }
  return heading ? [...joined, heading] : joined;
}
