import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from '@lectern/config';
import { knownModel, knownModelNames, type KnownModel } from './known-models.js';

export interface ModelFolder {
  path: string;
  name: string;
  model: KnownModel;
}

const files = ['onnx/model_quantized.onnx', 'tokenizer.json', 'tokenizer_config.json'];

/** Finds out which model a folder holds. Throws a ConfigError that says what to do. */
export function openModelFolder(folder: string): ModelFolder {
  const path = resolve(folder);
  const known = knownModel(path);
  if (!known) {
    const names = knownModelNames.join(' or ');
    throw new ConfigError([`MODEL_DIR: ${path} is no known model; name the folder after the one it holds: ${names}`]);
  }
  const missing = files.filter((file) => !existsSync(join(path, file)));
  if (missing.length > 0) {
    throw new ConfigError([`MODEL_DIR: ${path} lacks ${missing.join(', ')}; lay it out as a model hub does`]);
  }
  return { path, ...known };
}
