import { createHash } from 'node:crypto';
import type { EmbeddingModel } from '@lectern/contracts';

/** Describes the vectors of {@link fakeVector}. */
export const fakeModel: EmbeddingModel = {
  provider: 'fake',
  model: 'hashed-characters',
  revision: '1',
  dimension: 64,
  normalised: true,
  floor: 0.1,
  minSimilarity: 0.2,
  denseWeight: 0.5,
  queryPrefix: '',
  passagePrefix: '',
  maxTokens: 512,
};

/** A normalised vector of hashed character pairs: similar texts have similar vectors, on every machine. */
export function fakeVector(text: string): Float32Array {
  const vector = new Float32Array(fakeModel.dimension);
  const characters = [...text.toLowerCase()];
  for (let index = 0; index < characters.length; index += 1) {
    const pair = `${characters[index]}${characters[index + 1] ?? ''}`;
    const slot = createHash('md5').update(pair).digest().readUInt16BE(0) % fakeModel.dimension;
    vector[slot] = (vector[slot] ?? 0) + 1;
  }
  const norm = Math.hypot(...vector) || 1;
  return vector.map((value) => value / norm);
}
