import { describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { nextTurn } from './connection.js';
import { Gatherer } from './gatherer.js';

describe('what is gathered in a turn', () => {
  const journal: string[] = [];
  const redis = {
    stream: { cork: () => journal.push('cork'), uncork: () => journal.push('uncork') },
  } as unknown as Redis;
  const gatherer = new Gatherer<string>(redis, (items) => journal.push(items.join(' ')));

  it('leaves by destination, in its order and in one write', async () => {
    gatherer.add('one', 'a', 1);
    gatherer.add('two', 'b', 1);
    await Promise.resolve();
    gatherer.add('one', 'c', 1);
    expect(journal).toEqual([]);
    await nextTurn();
    expect(journal.splice(0)).toEqual(['cork', 'a c', 'b', 'uncork']);
    await nextTurn();
    expect(journal).toEqual([]);
  });

  it('leaves before what is put off to the end of a turn that has begun', async () => {
    gatherer.schedule();
    const later = nextTurn().then(() => journal.push('later'));
    gatherer.add('one', 'a', 1);
    await later;
    expect(journal.splice(0)).toEqual(['a', 'later']);
  });

  it('is split where a batch would hold too many items or bytes', async () => {
    for (let index = 0; index < 65; index += 1) gatherer.add('many', String(index), 1);
    for (const size of [700_000, 700_000, 2_000_000, 1]) gatherer.add('large', String(size), size);
    await nextTurn();
    const [, many, rest, ...large] = journal.splice(0).slice(0, -1);
    expect(many?.split(' ')).toHaveLength(64);
    expect([rest, ...large]).toEqual(['64', '700000', '700000', '2000000', '1']);
  });
});
