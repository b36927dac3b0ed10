import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startGateway, type GatewayFixture } from '../gateway-fixture.js';
import { startHeaderProxy, type HeaderProxy } from './header-proxy.js';
import { conformanceOffer } from './offer.js';
import { requiredScenarios, runSuite, scenariosIn } from './suite.js';

// The whole way into the gateway is the product's: host and origin, bearer token, gate, deadline, handler of the SDK, and
// the run of a tool as far as the services. Only what is offered is the suite's.
let gateway: GatewayFixture;
let proxy: HeaderProxy;
beforeAll(async () => {
  gateway = await startGateway({}, { offer: conformanceOffer });
  proxy = await startHeaderProxy(gateway.url, { authorization: `Bearer ${await gateway.token('kb:admin')}` });
});
afterAll(async () => {
  await proxy.close();
  await gateway.close();
});
beforeEach(() => void (gateway.journal.statuses = ['queued', 'processing', 'ready']));

/** Extensions that the gateway does not speak; no revision requires one. */
const extension = /^tasks-/;
const baseline = join(import.meta.dirname, 'expected-failures.2025-11-25.yml');

describe('the conformance suite', () => {
  it.each([
    ['2026-07-28', undefined],
    ['2025-11-25', baseline],
  ])(
    'finds nothing wrong with revision %s but what the baseline explains',
    async (revision, expectedFailures) => {
      const expected = expectedFailures === undefined ? [] : scenariosIn(expectedFailures);
      const { code, output, passed } = await runSuite(proxy.url, revision, expectedFailures);
      const failed = [...passed].filter(([name, ok]) => !ok && !extension.test(name) && !expected.includes(name));
      expect({ failed, code, output: code === 0 ? '' : output }).toEqual({ failed: [], code: 0, output: '' });
      expect([...passed.keys()]).toEqual(expect.arrayContaining(requiredScenarios(revision)));
    },
    120_000,
  );

  it('asked services for what tools of the catalogue would ask them', () => {
    const operations = gateway.journal.requests.map(({ operation }) => operation);
    expect(operations).toEqual(expect.arrayContaining(['list_knowledge_bases', 'submit_document']));
  });

  it('is let in by nothing but the credential that the proxy adds', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(gateway.url, { method: 'POST', headers, body })).status).toBe(401);
    expect((await fetch(proxy.url, { method: 'POST', headers, body })).status).toBe(200);
  });
});
