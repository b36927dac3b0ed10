import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@lectern/telemetry';
import { eventually } from '@lectern/testing';
import { shippedModel } from '../src/config.js';
import { createLocalProvider, type LocalProvider } from '../src/providers/local/local-provider.js';

const forever = new AbortController().signal;
const logger = createLogger({ service: 'test', level: 'silent' });
const passages = [
  'Redis keeps its data in memory and writes a log of every change to disk.',
  '长江是亚洲第一长河，发源于青藏高原，在上海注入东海。',
  'The cathedral of Reims was built in the thirteenth century.',
  '连接池保存已经打开的数据库连接，供后续请求重复使用。',
];

function cosine(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, value, index) => sum + value * right[index]!, 0);
}

describe('the local provider with the model that ships', () => {
  let provider: LocalProvider;
  beforeAll(async () => {
    provider = await createLocalProvider({ modelFolder: shippedModel, children: 1, logger });
  });
  afterAll(() => provider.close());

  const vectorsOf = async (texts: readonly string[]): Promise<Float32Array[]> =>
    (await provider.embedPassages(texts, forever)).map((result) => {
      if (!result.ok) throw new Error(result.reason);
      return result.vector;
    });

  it('describes its space, with the digest of the weights as revision', () => {
    expect(provider.model).toEqual({
      provider: 'local',
      model: 'multilingual-e5-small-zh-en',
      revision: '0f1310a0fa053542c81469df10519469170d2ec688ed7f83628153cb824f2c81',
      dimension: 384,
      normalised: true,
      floor: 0.78,
      minSimilarity: 0.7,
      denseWeight: 0.5,
      queryPrefix: 'query: ',
      passagePrefix: 'passage: ',
      maxTokens: 512,
    });
  });

  it.each([
    ['How does Redis survive a restart?', 0],
    ['中国最长的河流在哪里入海？', 1],
    ['When was the church in Reims built?', 2],
    ['为什么要复用数据库连接？', 3],
    ['Where does the longest river of Asia begin?', 1],
  ])('finds the passage that answers %s', async (question, expected) => {
    const { vector, truncated } = await provider.embedQuery(question, forever);
    const scores = (await vectorsOf(passages)).map((passage) => cosine(passage, vector));
    expect(scores.indexOf(Math.max(...scores))).toBe(expected);
    expect(truncated).toBe(false);
  });

  it('gives unit vectors of its dimension, the same for the same text whatever is beside it', async () => {
    const together = await vectorsOf(passages);
    for (const vector of together) {
      expect(vector).toHaveLength(384);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
    expect(await vectorsOf([passages[1]!])).toEqual([together[1]]);
  });

  it('cuts a question that is too long, keeps its beginning and says so', async () => {
    const beginning = 'How does Redis survive a restart? '.repeat(60);
    const long = await provider.embedQuery(`${beginning}${'长江'.repeat(3000)}`, forever);
    const other = await provider.embedQuery(`${beginning}${'cathedral '.repeat(300)}`, forever);
    expect([long.truncated, other.truncated]).toEqual([true, true]);
    expect(cosine(long.vector, other.vector)).toBeGreaterThan(0.999);
  });

  it('refuses a passage that is too long, and that one alone', async () => {
    const results = await provider.embedPassages([passages[0]!, '长江'.repeat(600), 'x'.repeat(500_000)], forever);
    expect(results.map((result) => (result.ok ? 'vector' : result.reason))).toEqual(['vector', 'too_long', 'too_long']);
  });

  it('has a vector for odd texts', async () => {
    const vectors = await vectorsOf([' ', '\u0000', '\ud83d', '🧑‍🚀', '</s><pad>', '\n\n']);
    for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  });

  it('answers a batch whose child is killed with the same vectors', async () => {
    const expected = await vectorsOf(passages);
    const batch = vectorsOf([...passages, ...passages]);
    process.kill(provider.pids[0]!, 'SIGKILL');
    expect(await batch).toEqual([...expected, ...expected]);
  });

  it('answers a question in the middle of a batch', async () => {
    const texts = Array.from({ length: 16 }, (_, index) => `${index} ${passages[1]!.repeat(8)}`);
    const batch = vectorsOf(texts).then(() => 'batch');
    const question = provider.embedQuery('question', forever).then(() => 'question');
    expect(await Promise.race([batch, question])).toBe('question');
    await batch;
  });

  it('stops a batch that was given up', async () => {
    const abort = new AbortController();
    const batch = provider.embedPassages(passages, abort.signal);
    abort.abort();
    await expect(batch).rejects.toMatchObject({ code: 'timeout' });
  });
});

it('a child of the local provider ends when its parent is killed', async () => {
  const script = join(import.meta.dirname, '../src/providers/local/child.ts');
  const parent = spawn(process.execPath, [join(import.meta.dirname, 'processes/short-lived-parent.ts'), script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  expect(isRunning(pid)).toBe(true);
  parent.kill('SIGKILL');
  await eventually('the child to end', () => !isRunning(pid));
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
