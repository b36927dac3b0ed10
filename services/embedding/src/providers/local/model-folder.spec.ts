import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { shippedModel } from '../../config.js';
import { openModelFolder } from './model-folder.js';

describe('openModelFolder', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lectern-model-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('knows the model that ships, with or without a slash at the end', () => {
    for (const folder of [shippedModel, `${shippedModel}/`]) {
      expect(openModelFolder(folder)).toMatchObject({ name: 'multilingual-e5-small-zh-en', model: { dimension: 384 } });
    }
  });

  it('says which names it knows when the folder has another one', () => {
    expect(() => openModelFolder(directory)).toThrow(/MODEL_DIR: .* multilingual-e5-small-zh-en or bge-small-zh-v1.5/);
  });

  it('takes no property of all objects for a model', () => {
    expect(() => openModelFolder(join(directory, 'constructor'))).toThrow(/no known model/);
  });

  it('names the files that are missing', () => {
    const folder = join(directory, 'bge-small-zh-v1.5');
    mkdirSync(folder);
    expect(() => openModelFolder(folder)).toThrow(/lacks onnx\/model_quantized.onnx, tokenizer.json/);
  });
});
