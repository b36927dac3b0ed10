import type { SearchConfig } from '../config.js';
import { rarestTerms, type LexicalWeights } from './lexical-weights.js';

/** How a scope is searched for its nearest passages and for those that share the rarest words with the question. */
export interface Legs {
  /** `index` walks the vector index, which may miss a passage; `all` looks at every vector of the scope. */
  dense: 'all' | 'index';
  /** `index` takes the chunks that hold one of the terms; `all` looks at every chunk of the scope. */
  lexical: 'all' | 'index';
  terms: number[];
  /** Whether neither leg can miss a passage. */
  exact: boolean;
}

/**
 * A small scope is searched exactly. Where the words of the question are so frequent in its tenant that their posting
 * lists are longer than the scope, the scope's own chunks are looked at instead.
 */
export function chooseLegs(
  chunkCounts: { scope: number; tenant: number },
  weights: LexicalWeights,
  limits: SearchConfig,
): Legs {
  const small = chunkCounts.scope <= limits.SEARCH_EXACT_UP_TO_CHUNKS;
  const bound = chunkCounts.tenant <= limits.SEARCH_EXACT_UP_TO_CHUNKS ? Infinity : limits.SEARCH_LEXICAL_CANDIDATES;
  const rarest = rarestTerms(weights.terms, bound);
  const complete = rarest.length === weights.terms.length;
  return {
    dense: small ? 'all' : 'index',
    lexical: small && !complete ? 'all' : 'index',
    terms: rarest.map(({ id }) => id),
    exact: small,
  };
}

/** The legs for a scope whose walk through the vector index ended before it had found enough. */
export function withoutVectorIndex(legs: Legs, weights: LexicalWeights): Legs {
  return { ...legs, dense: 'all', exact: legs.terms.length === weights.terms.length };
}
