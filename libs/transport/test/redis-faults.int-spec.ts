import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@lectern/testing';
import { caller, FaultFixture, outcome, stream } from './fault-fixture.js';
import { echo } from './operations.js';

describe('the Redis Streams transport when Redis fails', () => {
  let fixture: FaultFixture;

  beforeEach(async () => {
    fixture = await FaultFixture.start();
  });
  afterEach(() => fixture.close());

  const answersAgain = (): Promise<unknown> =>
    eventually(
      'a call to be answered',
      async () => (await outcome(fixture.call('after', 0, 1000))) === 'after',
      20_000,
    );

  it('notices connections that died without being closed', async () => {
    const link = await fixture.openLink();
    const far = await fixture.open({ url: link.url });
    const { journal } = await fixture.startReplica('far', { url: link.url });
    const ask = (text: string, options: { delayMs?: number; signal?: AbortSignal } = {}): Promise<string> =>
      outcome(
        far.client.call(
          echo,
          { text, delayMs: options.delayMs ?? 0 },
          { caller, deadline: Date.now() + 1000, ...(options.signal ? { signal: options.signal } : {}) },
        ),
      );
    expect(await ask('before')).toBe('before');
    link.silence();
    expect(await ask('silent')).toBe('timeout');
    await eventually('a call to be answered', async () => (await ask('after')) === 'after', 20_000);
    // Word of a caller that gives up comes over a connection that only listens.
    await eventually(
      'a caller that left to be noticed',
      async () => {
        const text = `left ${journal.started.length}`;
        const leaving = new AbortController();
        const left = ask(text, { delayMs: 900, signal: leaving.signal });
        await eventually('the handler to start', () => journal.started.includes(text));
        leaving.abort();
        await left;
        await new Promise((resolve) => setTimeout(resolve, 200));
        return journal.aborted.includes(text);
      },
      20_000,
    );
  });

  it('runs each call once when Redis has forgotten its scripts', async () => {
    const { journal } = await fixture.startReplica('one');
    expect(await outcome(fixture.call('before'))).toBe('before');
    await fixture.redis.script('FLUSH');
    const calls = [fixture.call('safe', 20), fixture.callOnce('once'), fixture.callOnce('twice', 20)];
    expect(await Promise.all(calls.map(outcome))).toEqual(['safe', 'once', 'twice']);
    expect(journal.started.toSorted()).toEqual(['before', 'once', 'safe', 'twice']);
    await fixture.expectNothingLeft();
  });

  it('says that nothing was done where the request never left', async () => {
    await fixture.server.stop();
    await eventually(
      'the client to notice',
      async () => (await outcome(fixture.call('lost', 0, 200))) === 'unavailable',
    );
    expect(await outcome(fixture.callOnce('once', 0, 300))).toBe('unavailable');
  });

  it('sends what is safe again after Redis was emptied, and says at once what may have run', async () => {
    const safe = Array.from({ length: 5 }, (_, index) => outcome(fixture.call(`waiting ${index}`)));
    const once = outcome(fixture.callOnce('once'));
    await eventually('all to wait in Redis', async () => (await fixture.redis.xlen(stream)) === 6);
    await fixture.redis.flushall();
    expect(await once).toBe('outcome_unknown');
    const { journal } = await fixture.startReplica('one');
    expect(await Promise.all(safe)).toEqual(safe.map((_, index) => `waiting ${index}`));
    expect(journal.started.toSorted()).toEqual(safe.map((_, index) => `waiting ${index}`));
    await fixture.expectNothingLeft();
  });

  it('answers what ran while Redis was emptied', async () => {
    const replicas = [await fixture.startReplica('one'), await fixture.startReplica('two')];
    const texts = Array.from({ length: 12 }, (_, index) => `running ${index}`);
    const answers = texts.map((text, index) => outcome(fixture.call(text, 100 + 200 * index)));
    await eventually('all to run', () => replicas.flatMap(({ journal }) => journal.started).length === texts.length);
    await fixture.redis.flushall();
    expect(await Promise.all(answers)).toEqual(texts);
    await answersAgain();
    await fixture.expectNothingLeft();
  });

  it('ends every call inside its deadline while Redis restarts, and goes on', async () => {
    await fixture.startReplica('one');
    const during = Array.from({ length: 20 }, (_, index) => outcome(fixture.call(`during ${index}`, 200, 6000)));
    await fixture.server.stop();
    during.push(...Array.from({ length: 20 }, (_, index) => outcome(fixture.call(`away ${index}`, 0, 6000))));
    await fixture.server.start();
    for (const result of await Promise.all(during))
      expect(result).toMatch(/^(during|away) \d+$|^timeout$|^unavailable$/);
    await answersAgain();
    await fixture.expectNothingLeft();
  });

  it.each([1, 10])(
    'ends every call inside its deadline while Redis stands still for %d s, and goes on',
    async (seconds) => {
      await fixture.startReplica('one');
      fixture.server.pause();
      const over = new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
      const during = Array.from({ length: 10 }, (_, index) => outcome(fixture.call(`during ${index}`, 0, 900)));
      expect(new Set(await Promise.all(during))).toEqual(new Set(['timeout']));
      await over;
      fixture.server.resume();
      await answersAgain();
      await fixture.expectNothingLeft();
    },
  );
});
