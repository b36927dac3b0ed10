import { describe, expect, it } from '@jest/globals';
import { idArgument } from './arguments.js';

describe('idArgument', () => {
  it.each([
    [undefined, 'is missing; give a UUID'],
    ['x', 'takes a UUID, not "x"'],
    [7, 'takes a UUID, not number'],
  ])('refuses %j in words that say what to give', (given, message) => {
    expect(idArgument('An id.').safeParse(given).error?.issues[0]?.message).toBe(message);
  });
});
