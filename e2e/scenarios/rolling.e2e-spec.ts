import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@lectern/testing';
import { startBalancer, type Balancer } from '../support/balancer.js';
import { callTool, connectClient } from '../support/client.js';
import { isWhole, untilIngested, untilNothingIsPending } from '../support/invariants.js';
import { Load } from '../support/load.js';
import { replaceReplica, replicasOf } from '../support/replicas.js';
import { report } from '../support/report.js';
import { startTestStack, type TestStack } from '../support/stack.js';

describe('a rolling restart of every service', () => {
  let stack: TestStack;
  let balancer: Balancer;

  beforeAll(async () => {
    stack = await startTestStack({ replicas: 2, environment: { SHUTDOWN_DELAY_MS: '1000' } });
    balancer = await startBalancer(stack.server.urls.map((url) => new URL(url).origin));
  });
  afterAll(async () => {
    await balancer.close();
    await stack.close();
  });

  it('fails no call of the clients that are at work', async () => {
    const url = `${balancer.origin}/mcp`;
    const client = await connectClient(url, stack.server.token);
    const { knowledgeBase } = await callTool<{ knowledgeBase: { id: string } }>(client, 'create_knowledge_base', {
      name: 'rolling',
    });
    await client.close();
    const load = await Load.start({ urls: [url], token: stack.server.token, knowledgeBaseId: knowledgeBase.id });
    for (const name of replicasOf(stack)) {
      const before = load.calls.length;
      await replaceReplica(stack, name, 'SIGTERM');
      await eventually('the balancer to see both gateways', () => balancer.targets === 2);
      await eventually('calls to be made since', () => load.calls.length > before + 10);
    }
    await load.stop();
    expect(load.calls.filter(({ failure }) => failure)).toEqual([]);
    await untilNothingIsPending(stack);
    const documents = await untilIngested(stack, 60_000);
    expect(documents.filter((document) => !isWhole(document))).toEqual([]);
    expect(documents.map(({ id }) => id)).toEqual(
      expect.arrayContaining(load.accepted.map(({ documentId }) => documentId)),
    );
    report('rolling restart', { calls: load.calls.length, documents: documents.length });
  });
});
