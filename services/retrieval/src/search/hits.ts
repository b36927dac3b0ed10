import type { SearchHit } from '@lectern/contracts';
import type { Ranked } from './fusion.js';
import type { Passage } from './search.repository.js';

/** The answer's passages in their order. One that was deleted in between is left out. */
export function toHits(kept: readonly Ranked[], passages: readonly Passage[]): SearchHit[] {
  const byId = new Map(passages.map((passage) => [passage.chunkId, passage]));
  return kept
    .flatMap((ranked) => {
      const passage = byId.get(ranked.chunkId);
      return passage ? [{ ranked, passage }] : [];
    })
    .map(({ ranked, passage }, position) => toHit(position + 1, ranked, passage));
}

function toHit(rank: number, { similarity, score }: Ranked, passage: Passage): SearchHit {
  const { startOffset, endOffset, headingPath, page, sheet, range, ...rest } = passage;
  return {
    ...rest,
    rank,
    similarity,
    score,
    citation: {
      startOffset,
      endOffset,
      headingPath,
      ...(page === null ? {} : { page }),
      ...(sheet === null ? {} : { sheet }),
      ...(range === null ? {} : { range }),
    },
  };
}
