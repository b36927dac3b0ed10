import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@lectern/testing';
import { removeDeadConsumers } from '../src/redis-streams/dead-consumers.js';
import { dropped, FaultFixture, outcome, stream } from './fault-fixture.js';

describe('replicas over Redis Streams', () => {
  let fixture: FaultFixture;

  beforeEach(async () => {
    fixture = await FaultFixture.start();
  });
  afterEach(() => fixture.close());

  /** Sends every text, at most 32 at a time, and gives the outcomes in their order. */
  async function sendAll(texts: string[], send: (text: string) => Promise<{ text: string }>): Promise<string[]> {
    const outcomes: string[] = [];
    const queue = texts.entries();
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        for (const [index, text] of queue) outcomes[index] = await outcome(send(text));
      }),
    );
    return outcomes;
  }

  const names = (kind: string, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${kind} ${index}`);

  it('have 1,000 requests handled exactly 1,000 times', async () => {
    const replicas = [await fixture.startReplica('one'), await fixture.startReplica('two')];
    const texts = names('request', 1000);
    expect(await sendAll(texts, (text) => fixture.call(text))).toEqual(texts);
    const handled = replicas.flatMap((replica) => replica.journal.started);
    expect(handled.toSorted()).toEqual(texts.toSorted());
    for (const replica of replicas) expect(replica.journal.started.length).toBeGreaterThan(0);
    await fixture.expectNothingLeft();
  });

  it('run what a killed one held again where that is safe, and say so where it is not', async () => {
    const { child, begun } = await fixture.startProcess('holds');
    const safe = names('safe', 2).map((text) => outcome(fixture.call(text)));
    const once = outcome(fixture.callOnce('once'));
    await eventually('the replica to hold all three', () => begun.length === 3);
    const survivor = await fixture.startReplica('survivor');
    child.kill('SIGKILL');
    expect(await Promise.all(safe)).toEqual(['safe 0', 'safe 1']);
    expect(await once).toBe('outcome_unknown');
    expect(survivor.journal.started.toSorted()).toEqual(['safe 0', 'safe 1']);
    await fixture.expectNothingLeft();
  });

  it('lose nothing repeatable and run nothing else twice when one is killed under load', async () => {
    const { child, begun } = await fixture.startProcess('answers');
    const held = outcome(fixture.callOnce('held', 5000));
    await eventually('the replica to hold something', () => begun.splice(0).length === 1);
    const survivor = await fixture.startReplica('survivor');
    const [safe, once] = [names('safe', 300), names('once', 300)];
    const working = [
      sendAll(safe, (text) => fixture.call(text, 20)),
      sendAll(once, (text) => fixture.callOnce(text, 20)),
    ];
    await eventually('the replica to be busy', () => begun.length >= 60);
    child.kill('SIGKILL');
    const [safeOutcomes, onceOutcomes] = (await Promise.all(working)) as [string[], string[]];
    expect(safeOutcomes).toEqual(safe);
    const runs = [...begun, ...survivor.journal.started];
    for (const [index, text] of once.entries()) {
      expect([text, 'outcome_unknown']).toContain(onceOutcomes[index]);
      // Word of what the killed one had just begun with may be lost with it.
      const times = runs.filter((run) => run === text).length;
      expect(times).toBeGreaterThanOrEqual(onceOutcomes[index] === text ? 1 : 0);
      expect(times).toBeLessThanOrEqual(1);
    }
    expect(await held).toBe('outcome_unknown');
    expect(runs).not.toContain('held');
    await fixture.expectNothingLeft();
  });

  it('leave a slow but living one its request', async () => {
    const slow = await fixture.startReplica('slow');
    const work = fixture.call('slow', 5000);
    await eventually('the slow replica to begin', () => slow.journal.started.length === 1);
    const other = await fixture.startReplica('other');
    expect((await work).replica).toBe('slow');
    expect(other.journal.started).toEqual([]);
  });

  it('lose no request that reaches one while it closes', async () => {
    const link = await fixture.openLink();
    const replica = await fixture.startReplica('closing', { url: link.url });
    link.delayAnswers(300);
    const work = fixture.call('on its way');
    await eventually('Redis to have handed it out', async () => (await fixture.handedOut()) === 1);
    await replica.close();
    await fixture.startReplica('next');
    expect((await work).text).toBe('on its way');
    await fixture.expectNothingLeft();
  });

  it('clear away what is no request, also where the one that read it died', async () => {
    await fixture.redis.xgroup('CREATE', stream, 'replicas', '0', 'MKSTREAM');
    await fixture.redis.xadd(stream, '*', 'nonsense', 'x');
    await fixture.redis.xreadgroup('GROUP', 'replicas', 'dead', 'STREAMS', stream, '>');
    expect(await fixture.handedOut()).toBe(1);
    const { metrics } = await fixture.startReplica('one');
    await eventually('it to be dropped', async () => (await dropped(metrics, 'malformed')) === 1);
    await fixture.expectNothingLeft();
  });

  it('take silent ones out of their group, but for those that hold something', async () => {
    const consumers = async (): Promise<unknown[]> =>
      ((await fixture.redis.xinfo('CONSUMERS', stream, 'replicas')) as unknown[][]).map((fields) => fields[1]);
    await fixture.redis.xgroup('CREATE', stream, 'replicas', '0', 'MKSTREAM');
    await fixture.redis.xgroup('CREATECONSUMER', stream, 'replicas', 'silent');
    await fixture.redis.xadd(stream, '*', 'nonsense', 'x');
    await fixture.redis.xreadgroup('GROUP', 'replicas', 'holding', 'STREAMS', stream, '>');
    await removeDeadConsumers(fixture.redis, stream, 60_000);
    expect(await consumers()).toEqual(['holding', 'silent']);
    await removeDeadConsumers(fixture.redis, stream, 0);
    expect(await consumers()).toEqual(['holding']);
  });

  it('answer though they were taken for dead', async () => {
    await fixture.startReplica('living');
    for (const text of ['before', 'after']) {
      expect(await outcome(fixture.call(text))).toBe(text);
      await removeDeadConsumers(fixture.redis, stream, 0);
    }
  });
});
