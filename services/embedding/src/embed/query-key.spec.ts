import { describe, expect, it } from '@jest/globals';
import { fakeModel } from '@lectern/testing';
import { queryKey } from './query-key.js';

const tenant = '01890000-0000-7000-8000-000000000001';
const key = queryKey(tenant, fakeModel, 'question');

describe('queryKey', () => {
  it('begins with the tenant and does not hold the text', () => {
    expect(key.startsWith(`${tenant}:`)).toBe(true);
    expect(key).not.toContain('question');
  });

  it.each([
    ['text', queryKey(tenant, fakeModel, 'Question')],
    ['provider', queryKey(tenant, { ...fakeModel, provider: 'other' }, 'question')],
    ['model', queryKey(tenant, { ...fakeModel, model: 'other' }, 'question')],
    ['revision', queryKey(tenant, { ...fakeModel, revision: '2' }, 'question')],
    ['dimension', queryKey(tenant, { ...fakeModel, dimension: 65 }, 'question')],
    ['normalisation', queryKey(tenant, { ...fakeModel, normalised: false }, 'question')],
    ['prefix', queryKey(tenant, { ...fakeModel, queryPrefix: 'query: ' }, 'question')],
  ])('differs by %s', (_part, other) => {
    expect(other).not.toBe(key);
  });
});
