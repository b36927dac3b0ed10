import { describe, expect, it } from '@jest/globals';
import { RpcHttpError } from '../http/http-error.js';
import { checkedMessages } from './check-messages.js';

const request = (method: string, params?: unknown) => ({ jsonrpc: '2.0', id: 7, method, params });
const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`k${index}`, 1]));

function refusalOf(body: unknown, isModern = false): unknown[] {
  try {
    checkedMessages(body, isModern);
  } catch (error) {
    if (!(error instanceof RpcHttpError)) throw error;
    return [error.status, error.rpcCode, error.id, error.description];
  }
  return [];
}

describe('checkedMessages', () => {
  it.each([
    ['message', { ...request('tools/list'), ...many }],
    ['params', request('tools/call', { name: 'list_documents', ...many })],
    ['arguments', request('tools/call', { name: 'list_documents', arguments: many })],
    ['_meta', request('tools/list', { _meta: many })],
  ])('refuses too many keys in %s', (where, body) => {
    expect(refusalOf(body)).toEqual([200, -32_602, 7, `Invalid params: ${where} has more than 100 keys; send fewer.`]);
  });

  it.each([
    ['initialize', undefined, 'expected object, received undefined'],
    ['resources/read', { uri: 7 }, 'uri: expected string, received number'],
    ['resources/read', { uri: `kb://documents/${'a'.repeat(3000)}` }, 'uri takes at most 2048 characters'],
    ['tools/call', { name: 'a'.repeat(300) }, 'name takes at most 256 characters'],
    ['tools/list', { cursor: 7 }, 'cursor: expected string, received number'],
    [
      'prompts/get',
      { name: 'kb_qa', arguments: { question: 7 } },
      'arguments.question: expected string, received number',
    ],
  ])('refuses %s with %j in a sentence', (method, params, fault) => {
    expect(refusalOf(request(method, params))).toEqual([200, -32_602, 7, `Invalid params: ${fault}.`]);
  });

  it.each([
    ['tools/call', '__proto__', 'Tool __proto__ not found'],
    ['prompts/get', 'constructor', 'Prompt constructor not found'],
  ])('finds nothing for %s under %s', (method, name, words) => {
    expect(refusalOf(request(method, { name }))).toEqual([200, -32_602, 7, words]);
  });

  it('answers invalid parameters of the modern era 400, and an unknown name as the SDK does', () => {
    expect(refusalOf(request('resources/read', {}), true).slice(0, 3)).toEqual([400, -32_602, 7]);
    expect(refusalOf(request('initialize'), true)).toEqual([]);
    expect(refusalOf(request('tools/call', { name: 'constructor' }), true).slice(0, 3)).toEqual([200, -32_602, 7]);
  });

  it('refuses a whole batch for one of its messages, and one that is too long', () => {
    const fine = request('tools/list');
    expect(refusalOf([fine, request('resources/read', {})])).toEqual([400, -32_602, null, expect.any(String)]);
    expect(refusalOf(Array.from({ length: 101 }, () => fine))).toEqual([400, -32_600, null, expect.any(String)]);
  });

  it('leaves what is in order, and what only the SDK knows, to it', () => {
    for (const body of [request('tools/list'), request('documents/burn', 7), { hello: 1 }, 7, null, [[]]]) {
      expect(refusalOf(body)).toEqual([]);
    }
    expect(checkedMessages([request('ping'), 7], false)).toEqual([request('ping')]);
  });
});
