import { describe, expect, it } from '@jest/globals';
import { stemEnglish } from './stem-english.js';

// Stems as the reference vocabulary of the Snowball project has them.
const families: Readonly<Record<string, readonly string[]>> = {
  connect: ['connect', 'connected', 'connecting', 'connection', 'connections'],
  constitut: ['constitute', 'constitution', 'constitutional', 'constitutes'],
  polici: ['policy', 'policies'],
  deploy: ['deploy', 'deployed', 'deployment', 'deployments'],
  generous: ['generous', 'generously'],
  generat: ['generate', 'generation', 'generating'],
  happi: ['happy', 'happiness'],
  hope: ['hope', 'hoping', 'hoped'],
  hop: ['hop', 'hopping', 'hopped'],
  agre: ['agree', 'agreed', 'agrees'],
  tie: ['ties', 'tying', 'tie'],
  cri: ['cry', 'cries', 'cried'],
  die: ['die', 'dying', 'dies'],
  sky: ['sky', 'skies'],
  say: ['say', 'says', 'saying'],
  succeed: ['succeed', 'succeeded', 'succeeds'],
  bias: ['bias'],
  relat: ['relate', 'relational', 'relation'],
  gas: ['gas'],
  communiti: ['community', 'communities'],
  yield: ['yield', 'yields', 'yielding'],
  is: ['is'],
};

describe('stemEnglish', () => {
  for (const [stem, words] of Object.entries(families)) {
    it(`takes ${words.join(', ')} for ${stem}`, () => {
      for (const word of words) expect([word, stemEnglish(word)]).toEqual([word, stem]);
    });
  }
});
