import { describe, expect, it } from '@jest/globals';
import { chooseLegs, withoutVectorIndex } from './legs.js';
import { weighTerms } from './lexical-weights.js';

const limits = { SEARCH_EXACT_UP_TO_CHUNKS: 20_000, SEARCH_LEXICAL_CANDIDATES: 5_000 };
const large = 1_000_000;
const rare = 1;
const frequent = 2;
const statistics = {
  chunkCount: large,
  documentFrequencies: new Map([
    [rare, 10],
    [frequent, 90_000],
  ]),
};
const mixed = weighTerms([rare, frequent], statistics);

describe('chooseLegs', () => {
  it('looks at all of a small tenant', () => {
    const small = { chunkCount: 20_000, documentFrequencies: new Map([[frequent, 20_000]]) };
    const legs = chooseLegs({ scope: 20_000, tenant: 20_000 }, weighTerms([rare, frequent], small), limits);
    expect(legs).toEqual({ dense: 'all', lexical: 'index', terms: [rare, frequent], exact: true });
  });

  it('looks at the chunks of a small scope where the words of the question are frequent in a large tenant', () => {
    const legs = chooseLegs({ scope: 500, tenant: large }, mixed, limits);
    expect(legs).toMatchObject({ dense: 'all', lexical: 'all', exact: true });
  });

  it('takes the index for a small scope where the words of the question are rare', () => {
    const legs = chooseLegs({ scope: 500, tenant: large }, weighTerms([rare], statistics), limits);
    expect(legs).toEqual({ dense: 'all', lexical: 'index', terms: [rare], exact: true });
  });

  it('takes both indexes and the rarest words for a large scope, and says that it may miss a passage', () => {
    const legs = chooseLegs({ scope: large, tenant: large }, mixed, limits);
    expect(legs).toEqual({ dense: 'index', lexical: 'index', terms: [rare], exact: false });
  });
});

describe('withoutVectorIndex', () => {
  it('is exact only where no word was left out', () => {
    const scope = { scope: large, tenant: large };
    expect(withoutVectorIndex(chooseLegs(scope, mixed, limits), mixed)).toMatchObject({ dense: 'all', exact: false });
    const rareOnly = weighTerms([rare], statistics);
    expect(withoutVectorIndex(chooseLegs(scope, rareOnly, limits), rareOnly)).toMatchObject({ exact: true });
  });
});
