import { describe, expect, it } from '@jest/globals';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from '../http/http-error.js';
import { OriginGuard, type OriginRules } from './origin-guard.js';

function check(rules: Partial<OriginRules>, headers: { host?: string; origin?: string }): number {
  const response = { setHeader: () => response } as unknown as ServerResponse;
  try {
    new OriginGuard({ hosts: [], origins: [], ...rules }).check({ headers } as IncomingMessage, response);
    return 200;
  } catch (error) {
    if (error instanceof HttpError) return error.status;
    throw error;
  }
}

describe('a Host', () => {
  it.each([
    ['localhost', 'localhost:8080', 200],
    ['localhost', 'LOCALHOST', 200],
    ['localhost', 'localhost.evil.example', 421],
    ['localhost', 'evil-localhost', 421],
    ['localhost:8080', 'localhost:8081', 421],
    ['localhost:*', 'localhost:8081', 200],
    ['[::1]', '[::1]:8080', 200],
    ['a.example', 'axexample', 421],
    ['*', 'anything.example', 200],
    ['localhost', '', 421],
  ])('rule %s answers %s with %i', (rule, host, status) => {
    expect(check({ hosts: [rule] }, { host })).toBe(status);
  });

  it('is allowed by the public URL', () => {
    expect(check({ publicUrl: 'https://kb.example/x' }, { host: 'kb.example' })).toBe(200);
  });
});

describe('an Origin', () => {
  it.each([
    ['http://localhost:*', 'http://localhost:6274', 200],
    ['http://localhost:*', 'http://localhost', 200],
    ['http://localhost:*', 'https://localhost:6274', 403],
    ['https://a.example', 'https://a.example', 200],
    ['https://a.example', 'https://a.example:8443', 403],
    ['https://a.example', 'https://a.example.evil.example', 403],
    ['https://a.example', 'null', 403],
    ['https://a.example', '', 403],
  ])('rule %s answers %s with %i', (rule, origin, status) => {
    expect(check({ hosts: ['*'], origins: [rule] }, { host: 'x', origin })).toBe(status);
  });
});
