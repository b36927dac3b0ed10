import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, startPostgres, startRedis, type OwnPostgres, type OwnRedis } from '@lectern/testing';
import { Redis } from 'ioredis';
import { callTool, connectClient } from '../support/client.js';
import { isWhole, untilIngested, untilNothingIsPending } from '../support/invariants.js';
import { Load, type ObservedCall } from '../support/load.js';
import { report } from '../support/report.js';
import { startTestStack, type TestStack } from '../support/stack.js';

const requestMs = 15_000;
/** Of a machine with two cores that runs all of this at once. */
const marginMs = 3_000;
/** A job whose run was lost goes on when the sweeper has found it. */
const drainMs = 60_000;

/** What must not be seen outside: stacks, statements, and the words of a database or a queue. */
const internals =
  /\n\s+at |node_modules|\b(SELECT|INSERT|UPDATE|DELETE|COMMIT|BEGIN)\b|ECONN|NOGROUP|ReplyError|Connection terminated/;

describe('two replicas of each service under load', () => {
  let servers: { postgres: OwnPostgres; redis: OwnRedis };
  let stack: TestStack;
  let knowledgeBaseId: string;

  beforeAll(async () => {
    servers = { postgres: await startPostgres(), redis: await startRedis() };
    stack = await startTestStack({ replicas: 2, servers });
    const client = await connectClient(stack.server.urls[0]!, stack.server.token);
    const { knowledgeBase } = await callTool<{ knowledgeBase: { id: string } }>(client, 'create_knowledge_base', {
      name: 'stores',
    });
    knowledgeBaseId = knowledgeBase.id;
    await client.close();
  });
  afterAll(async () => {
    await stack.close();
    await Promise.all([servers.postgres.close(), servers.redis.close()]);
  });

  it.each([
    ['Redis restarts', restartRedis],
    ['Redis stands still for ten seconds', pauseRedis],
    ['Redis is emptied', emptyRedis],
    ['PostgreSQL restarts', restartPostgres],
  ])('end every call in time, lose no document and go on when %s', async (title, fault) => {
    const { urls, token } = stack.server;
    const load = await Load.start({ urls, token, knowledgeBaseId });
    await eventually('the load to run', () => load.accepted.length >= 3);
    await fault();
    const before = load.calls.filter(({ failure }) => !failure).length;
    await eventually(
      'calls to be answered again',
      () => load.calls.filter(({ failure }) => !failure).length > before + 20,
    );
    await load.stop();

    expect(load.calls.filter(({ tookMs }) => tookMs > requestMs + marginMs)).toEqual([]);
    expect(load.calls.filter(({ failure }) => failure && !isClear(failure))).toEqual([]);
    await expectNextCallsWork();
    await untilNothingIsPending(stack);
    const documents = await untilIngested(stack, drainMs);
    expect(documents.filter((document) => !isWhole(document))).toEqual([]);
    await expectFound(load);
    report(title, figures(load.calls, documents.length));
  });

  async function restartRedis(): Promise<void> {
    await servers.redis.stop();
    await pause(1_000);
    await servers.redis.start();
  }

  async function pauseRedis(): Promise<void> {
    servers.redis.pause();
    await pause(10_000);
    servers.redis.resume();
  }

  /** Several times, so that calls and jobs at every point of their way are lost. */
  async function emptyRedis(): Promise<void> {
    const redis = new Redis(servers.redis.url);
    for (let time = 0; time < 10; time += 1) {
      await redis.flushall();
      await pause(200);
    }
    redis.disconnect();
  }

  async function restartPostgres(): Promise<void> {
    await servers.postgres.stop();
    await pause(1_000);
    await servers.postgres.start();
  }

  async function expectNextCallsWork(): Promise<void> {
    for (const url of stack.server.urls) {
      const client = await connectClient(url, stack.server.token);
      await callTool(client, 'search_knowledge_base', { query: 'words' });
      await callTool(client, 'list_documents', {});
      await client.close();
    }
  }

  async function expectFound({ accepted }: Load): Promise<void> {
    const client = await connectClient(stack.server.urls[0]!, stack.server.token);
    for (const { documentId, word } of accepted) {
      const { results } = await callTool<{ results: { documentId: string }[] }>(client, 'search_knowledge_base', {
        query: word,
        top_k: 5,
      });
      expect(results.map((result) => result.documentId)).toContain(documentId);
    }
    await client.close();
  }
});

/** A sentence that says what to do next, and nothing of what is inside. */
function isClear(failure: string): boolean {
  return /Try again|Look (before|whether)|Call get_/.test(failure) && !internals.test(failure);
}

function figures(calls: readonly ObservedCall[], documents: number): Record<string, number> {
  const failed = calls.filter(({ failure }) => failure);
  const slowest = Math.max(...calls.map(({ tookMs }) => tookMs));
  return { calls: calls.length, failed: failed.length, documents, 'slowest s': Math.round(slowest / 100) / 10 };
}
