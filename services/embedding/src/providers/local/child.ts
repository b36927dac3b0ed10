// The script of a child process: one model, one text at a time. It imports nothing of the project but types, so that
// Node runs it from the sources just as it runs it from the build.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { EmbedReply, EmbedRequest, FromChild, LoadedModel, ModelSpec, ToChild } from './messages.js';

interface Model {
  spec: ModelSpec;
  session: InferenceSession;
  tokenizer: Tokenizer;
}

/** UTF-16 code units. What is longer than all tokens of this size is not even tokenised: a megabyte takes seconds. */
const longestToken = 32;

type Vector = Float32Array<ArrayBuffer>;

let model: Model | undefined;

process.on('message', (message: ToChild) => {
  // An answer that the parent is no longer there to take is not an error.
  void answer(message).then((reply) => process.send?.(reply, () => undefined));
});
process.on('disconnect', () => process.exit());
// A terminal signals the whole group; the parent decides when its children end, and its death disconnects them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

async function answer(message: ToChild): Promise<FromChild> {
  switch (message.kind) {
    case 'load':
      return load(message.spec).then(
        (loaded) => ({ kind: 'loaded', model: loaded }),
        (error: unknown) => ({ kind: 'unloadable', reason: error instanceof Error ? error.message : String(error) }),
      );
    case 'embed':
      return { kind: 'reply', reply: await embed(message.request).catch(() => ({ outcome: 'rejected' as const })) };
  }
}

async function load(spec: ModelSpec): Promise<LoadedModel> {
  const read = (name: string) => readFile(join(spec.folder, name));
  const [weights, tokenizer, tokenizerConfig] = await Promise.all([
    read('onnx/model_quantized.onnx'),
    read('tokenizer.json'),
    read('tokenizer_config.json'),
  ]);
  model = {
    spec,
    session: await InferenceSession.create(weights, { intraOpNumThreads: 1, interOpNumThreads: 1 }),
    tokenizer: new Tokenizer(JSON.parse(tokenizer.toString()), JSON.parse(tokenizerConfig.toString())),
  };
  // The first run is slower than all others; here nobody waits for it, and it tells the dimension.
  const first = await embed({ text: 'warm up', overlong: 'refuse' });
  if (first.outcome !== 'embedded') throw new Error('the model has no vector for a short text');
  return { revision: createHash('sha256').update(weights).digest('hex'), dimension: first.vector.length };
}

async function embed(request: EmbedRequest): Promise<EmbedReply> {
  if (!model) throw new Error('no model is loaded');
  const { spec, session, tokenizer } = model;
  const tokenisable = request.text.slice(0, spec.maxTokens * longestToken);
  const { ids } = tokenizer.encode(spec.lowerCaseLatin ? lowerCaseLatin(tokenisable) : tokenisable);
  const truncated = ids.length > spec.maxTokens || tokenisable.length < request.text.length;
  if (truncated && request.overlong === 'refuse') return { outcome: 'too_long' };
  const hidden = await run(session, cut(ids, spec.maxTokens));
  const pooled = spec.pooling === 'mean' ? mean(hidden) : hidden.data.slice(0, hidden.dimension);
  return { outcome: 'embedded', vector: spec.normalised ? normalise(pooled) : pooled, truncated };
}

interface Hidden {
  /** One row per token. */
  data: Vector;
  dimension: number;
}

async function run(session: InferenceSession, ids: readonly number[]): Promise<Hidden> {
  const tensor = (values: BigInt64Array) => new Tensor('int64', values, [1, values.length]);
  const inputs: Record<string, Tensor> = {
    input_ids: tensor(BigInt64Array.from(ids, BigInt)),
    attention_mask: tensor(new BigInt64Array(ids.length).fill(1n)),
    token_type_ids: tensor(new BigInt64Array(ids.length)),
  };
  const feeds = Object.fromEntries(Object.entries(inputs).filter(([name]) => session.inputNames.includes(name)));
  const output = (await session.run(feeds)).last_hidden_state;
  const dimension = output?.dims[2];
  if (!(output?.data instanceof Float32Array) || !dimension) throw new Error('the model gives no last_hidden_state');
  return { data: new Float32Array(output.data), dimension };
}

function lowerCaseLatin(text: string): string {
  return text.replace(/\p{Script=Latin}+/gu, (letters) => letters.toLowerCase());
}

/** Drops the end of the text, not the special token that closes it. */
function cut(ids: readonly number[], length: number): readonly number[] {
  return ids.length <= length ? ids : [...ids.slice(0, length - 1), ...ids.slice(-1)];
}

function mean({ data, dimension }: Hidden): Vector {
  const sum = new Float32Array(dimension);
  for (let index = 0; index < data.length; index += 1) sum[index % dimension]! += data[index]!;
  return sum.map((value) => (value * dimension) / data.length);
}

function normalise(vector: Vector): Vector {
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}
