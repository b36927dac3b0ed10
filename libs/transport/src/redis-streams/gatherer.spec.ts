import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { Gatherer } from './gatherer.js';

describe('what is gathered in a turn', () => {
  const journal: string[] = [];
  const stream = { cork: () => journal.push('cork'), uncork: () => journal.push('uncork') };
  const redis = { stream } as unknown as Redis;
  const reader = { stream } as unknown as Redis;
  const gatherer = new Gatherer<string>(redis, (items, connection) =>
    journal.push(`${items.join(' ')}${connection === redis ? '' : ' elsewhere'}`),
  );

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

  it('leaves ahead of a read that comes first, in one write with it', async () => {
    gatherer.add('one', 'a', 1);
    gatherer.sendWith(reader, () => journal.push('read'));
    expect(journal.splice(0)).toEqual(['cork', 'a elsewhere', 'read', 'uncork']);
    await nextTurn();
    expect(journal).toEqual([]);
    gatherer.add('one', 'b', 1);
    await nextTurn();
    expect(journal.splice(0)).toEqual(['b']);
  });

  it('does not stay behind a read that fails', () => {
    gatherer.add('one', 'a', 1);
    const fail = (): void => {
      throw new Error('no connection');
    };
    expect(() => gatherer.sendWith(reader, fail)).toThrow('no connection');
    expect(journal.splice(0)).toEqual(['cork', 'a elsewhere', 'uncork']);
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
