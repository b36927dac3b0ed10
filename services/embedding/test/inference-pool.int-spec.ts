import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@lectern/telemetry';
import { eventually } from '@lectern/testing';
import { InferencePool } from '../src/providers/local/inference-pool.js';
import type { Priority } from '../src/providers/local/work-queue.js';

const forever = new AbortController().signal;
const logger = createLogger({ service: 'test', level: 'silent' });
const script = join(import.meta.dirname, 'processes/scripted-child.ts');

describe('InferencePool', () => {
  const pools: InferencePool[] = [];
  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool.close();
  });

  const start = async (children: number, folder = 'works'): Promise<InferencePool> => {
    const spec = { folder, pooling: 'mean', normalised: true, maxTokens: 512, lowerCaseLatin: false } as const;
    const pool = await InferencePool.start({ script, spec, children, logger });
    pools.push(pool);
    return pool;
  };
  const embed = async (pool: InferencePool, text: string, priority: Priority = 'passage', signal = forever) => {
    const reply = await pool.embed({ text, overlong: 'cut' }, priority, signal);
    if (reply.outcome !== 'embedded') throw new Error(reply.outcome);
    return { length: reply.vector[0], pid: reply.vector[1] };
  };

  it('spreads texts over its children', async () => {
    const pool = await start(2);
    await eventually('both children to be up', () => pool.pids.length === 2);
    const answers = await Promise.all(['slow 1', 'slow 2'].map((text) => embed(pool, text)));
    expect(new Set(answers.map(({ pid }) => pid))).toEqual(new Set(pool.pids));
  });

  it('lets a query wait for no more than the text under way', async () => {
    const pool = await start(1);
    const order: string[] = [];
    const texts = ['slow 1', 'slow 2', 'slow 3'];
    const bulk = texts.map((text) => embed(pool, text).then(() => order.push(text)));
    await embed(pool, 'a question', 'query').then(() => order.push('a question'));
    await Promise.all(bulk);
    expect(order).toEqual(['slow 1', 'a question', 'slow 2', 'slow 3']);
  });

  it('repeats the text of a child that was killed on the next one', async () => {
    const pool = await start(1);
    const [killed] = pool.pids;
    const answer = embed(pool, 'slow');
    process.kill(killed!, 'SIGKILL');
    const { length, pid } = await answer;
    expect(length).toBe('slow'.length);
    expect(pid).not.toBe(killed);
  });

  it('loses nothing of a batch while children are killed again and again', async () => {
    const pool = await start(2);
    const batch = Promise.all(Array.from({ length: 12 }, (_, index) => embed(pool, `slow ${'x'.repeat(index)}`)));
    for (let kill = 0; kill < 2; kill += 1) {
      const pid = await eventually('a child to be up', () => pool.pids[0]);
      process.kill(pid, 'SIGKILL');
      await eventually('it to be gone', () => !pool.pids.includes(pid));
    }
    expect((await batch).map(({ length }) => length)).toEqual(Array.from({ length: 12 }, (_, index) => 5 + index));
  });

  it('replaces a child that is killed while it is idle', async () => {
    const pool = await start(1);
    const [killed] = pool.pids;
    process.kill(killed!, 'SIGKILL');
    await eventually('another child', () => pool.pids.length === 1 && pool.pids[0] !== killed);
    expect((await embed(pool, 'text')).length).toBe(4);
  });

  it('gives up a text that children keep dying with, and answers the others', async () => {
    const pool = await start(1);
    const deadly = embed(pool, 'die');
    const harmless = embed(pool, 'live');
    await expect(deadly).rejects.toMatchObject({ code: 'unavailable', retryAfterMs: 1000 });
    expect((await harmless).length).toBe(4);
  });

  it('never runs a text that was given up while it waited', async () => {
    const pool = await start(1);
    const [pid] = pool.pids;
    const abort = new AbortController();
    const running = embed(pool, 'slow');
    const abandoned = embed(pool, 'die', 'passage', abort.signal);
    abort.abort();
    await expect(abandoned).rejects.toMatchObject({ code: 'timeout' });
    await running;
    await embed(pool, 'after');
    expect(pool.pids).toEqual([pid]);
  });

  it('does not start with a model that can not be loaded, and says why', async () => {
    await expect(start(2, 'broken')).rejects.toThrow('the weights are broken');
  });

  it('does not start when its children die while they load', async () => {
    await expect(start(1, 'dies')).rejects.toThrow(/die while they start/);
  });

  it('takes no child that has loaded other weights than the first', async () => {
    const pool = await start(1, 'changing');
    process.kill(pool.pids[0]!, 'SIGKILL');
    await eventually('texts to be refused', () =>
      embed(pool, 'text').then(
        () => false,
        (error: { code: string }) => error.code === 'unavailable',
      ),
    );
    expect(pool.isReady()).toBe(false);
  });

  it('leaves no process when it closes, and fails what waits', async () => {
    const pool = await start(2);
    await eventually('both children to be up', () => pool.pids.length === 2);
    const { pids } = pool;
    const work = ['slow 1', 'slow 2', 'slow 3'].map((text) => embed(pool, text).catch((error: unknown) => error));
    await pool.close();
    for (const failure of await Promise.all(work)) expect(failure).toMatchObject({ code: 'unavailable' });
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await expect(embed(pool, 'late')).rejects.toMatchObject({ code: 'unavailable' });
  });
});
