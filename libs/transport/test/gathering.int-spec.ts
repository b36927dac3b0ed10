import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { caller, FaultFixture, outcome, stream } from './fault-fixture.js';
import { echo, vectors } from './operations.js';

describe('what is asked in one turn of the event loop', () => {
  let fixture: FaultFixture;

  beforeEach(async () => {
    fixture = await FaultFixture.start();
  });
  afterEach(() => fixture.close());

  it('gets each its own answer, of whatever kind and size', async () => {
    await fixture.startReplica('one');
    const large = Array.from({ length: 5 }, (_, index) => `${index}`.repeat(300_000));
    const list = [new Float32Array([0.5, -3e-20]), new Float32Array([7])];
    const texts = ['refuse', 'plain', ...large, 'break', '汉字 🧑‍🚀', ''];
    const answers = texts.map((text) => outcome(fixture.call(text)));
    const answer = fixture.client.client.call(vectors, { list, note: '注' }, { caller });
    expect(await Promise.all(answers)).toEqual(['conflict', 'plain', ...large, 'internal', '汉字 🧑‍🚀', '']);
    expect(await answer).toEqual({ list, note: '注' });
    await fixture.expectNothingLeft();
  });

  it('is refused at once where it does not fit into the stream any more, and only that', async () => {
    const texts = Array.from({ length: 520 }, (_, index) => `waiting ${index}`);
    const outcomes = texts.map((text) => outcome(fixture.call(text)));
    expect(await Promise.all(outcomes.slice(500))).toEqual(texts.slice(500).map(() => 'unavailable'));
    expect(await fixture.redis.xlen(stream)).toBe(500);
    await fixture.startReplica('one');
    expect(await Promise.all(outcomes.slice(0, 500))).toEqual(texts.slice(0, 500));
    await fixture.expectNothingLeft();
  });

  it('does not leave when it is given up in the same turn', async () => {
    const leaving = new AbortController();
    const options = { caller, signal: leaving.signal };
    const left = outcome(fixture.client.client.call(echo, { text: 'left' }, options));
    const stays = outcome(fixture.call('stays'));
    leaving.abort();
    expect(await left).toBe('unavailable');
    const { journal } = await fixture.startReplica('one');
    expect(await stays).toBe('stays');
    expect(journal.started).toEqual(['stays']);
  });

  it('is answered, each call by itself, when the connection breaks before it leaves', async () => {
    await fixture.startReplica('one');
    const link = await fixture.openLink();
    const far = await fixture.open({ url: link.url });
    const calls = Array.from({ length: 40 }, (_, index) =>
      outcome(far.client.call(echo, { text: `call ${index}` }, { caller })),
    );
    link.cut();
    expect(await Promise.all(calls)).toEqual(calls.map((_, index) => `call ${index}`));
    await fixture.expectNothingLeft();
  });
});
