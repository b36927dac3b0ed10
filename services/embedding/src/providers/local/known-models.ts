import { basename } from 'node:path';
import type { EmbeddingModel } from '@lectern/contracts';
import type { ModelSpec } from './messages.js';

/** What a model's files do not say: how its vectors are made, and what their cosines mean. */
export type KnownModel = Omit<EmbeddingModel, 'provider' | 'model' | 'revision'> &
  Pick<ModelSpec, 'pooling' | 'lowerCaseLatin'>;

/** By the name of the model's folder. Floors and weights were measured on XQuAD. */
const knownModels: Readonly<Record<string, KnownModel>> = {
  'multilingual-e5-small-zh-en': {
    dimension: 384,
    normalised: true,
    pooling: 'mean',
    queryPrefix: 'query: ',
    passagePrefix: 'passage: ',
    maxTokens: 512,
    lowerCaseLatin: false,
    floor: 0.78,
    minSimilarity: 0.7,
    denseWeight: 0.5,
  },
  'bge-small-zh-v1.5': {
    dimension: 512,
    normalised: true,
    pooling: 'cls',
    queryPrefix: '',
    passagePrefix: '',
    maxTokens: 512,
    // Its vocabulary has no capitals, and its tokenizer leaves them: "Redis" would be an unknown word.
    lowerCaseLatin: true,
    floor: 0.3,
    minSimilarity: 0.3,
    denseWeight: 0.35,
  },
};

/** The model that a folder holds, by the folder's name. */
export function knownModel(folder: string): { name: string; model: KnownModel } | undefined {
  const name = basename(folder);
  const model = Object.hasOwn(knownModels, name) ? knownModels[name] : undefined;
  return model && { name, model };
}

export const knownModelNames: readonly string[] = Object.keys(knownModels);
