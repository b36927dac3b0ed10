export { chunkText, type Chunk, type ChunkOptions } from './chunking/chunk-text.js';
export { searchableText } from './chunking/piece.js';
export { holdsText } from './holds-text.js';
export { estimateTokens } from './tokens/estimate-tokens.js';
export {
  highestScore,
  inverseDocumentFrequency,
  lexicalDimension,
  lexicalDocument,
  lexicalQuery,
  lexiconVersion,
  type LexicalDocument,
} from './lexical/bm25.js';
export { segment } from './lexical/segment.js';
export { normaliseText } from './normalise.js';
export { sliceWellFormed, type WellFormedSlice } from './slice-well-formed.js';
