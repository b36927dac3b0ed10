/** Both scores of one passage. */
export interface Candidate {
  chunkId: string;
  /** Raw cosine between question and passage. */
  similarity: number;
  bm25: number;
}

export interface Calibration {
  /** Share of the dense score, 0 to 1. */
  denseWeight: number;
  /** Mean cosine of unrelated pairs: the zero of the dense score. */
  floor: number;
  /** Cosine below which a passage without a word of the question is cut. */
  minSimilarity: number;
  /** The most that BM25 can reach for the question; 0 when it has no words. */
  bm25Max: number;
}

export interface Ranked extends Candidate {
  score: number;
  cut: boolean;
}

/**
 * Ranks passages by calibrated scores: each leg's is divided by what it can reach, without looking at the other
 * passages, so that a score means the same from question to question. Linear, hence negative below the floor.
 */
export function fuse(candidates: readonly Candidate[], calibration: Calibration): Ranked[] {
  const { denseWeight, floor, minSimilarity, bm25Max } = calibration;
  return candidates
    .map((candidate) => {
      const dense = (candidate.similarity - floor) / (1 - floor);
      const lexical = bm25Max > 0 ? candidate.bm25 / bm25Max : 0;
      return {
        ...candidate,
        score: denseWeight * dense + (1 - denseWeight) * lexical,
        // An identifier can be found by its letters alone.
        cut: candidate.similarity < minSimilarity && lexical <= 0,
      };
    })
    .toSorted(byScore);
}

/** Best first; equal scores in the order of their ids, so that the same question has the same answer. */
export function byScore(left: Ranked, right: Ranked): number {
  return right.score - left.score || (left.chunkId < right.chunkId ? -1 : 1);
}

/** The passages to answer with, and how many of the best the threshold cut. */
export function select<Passage extends Ranked>(
  ranked: readonly Passage[],
  topK: number,
): { kept: Passage[]; filteredByThreshold: number } {
  return {
    kept: ranked.filter((passage) => !passage.cut).slice(0, topK),
    filteredByThreshold: ranked.slice(0, topK).filter((passage) => passage.cut).length,
  };
}
