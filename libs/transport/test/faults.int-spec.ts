import { fork, type ChildProcess } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServiceError } from '@lectern/contracts';
import { createLogger, createMetrics, type Metrics } from '@lectern/telemetry';
import { eventually, openLink, startRedis, testCaller, type Link, type OwnRedis } from '@lectern/testing';
import { createRedisTransport, startMicroservice, type Transport } from '@lectern/transport';
import { Redis } from 'ioredis';
import { echoService, Journal } from './echo-service.js';
import { echo, echoOnce } from './operations.js';

const prefix = 'faults';
const key = 'a key that all services of the test share';
const stream = `${prefix}:req:retrieval:interactive`;
const caller = testCaller('01890000-0000-7000-8000-000000000001');

interface Replica {
  journal: Journal;
  metrics: Metrics;
  close(): Promise<void>;
}

describe('the Redis Streams transport under faults', () => {
  let server: OwnRedis;
  let redis: Redis;
  let client: Transport;
  const closing: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    server = await startRedis();
    redis = new Redis(server.url, { maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    client = await open(createMetrics('client'));
    closing.push(() => client.close());
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
    redis.disconnect();
    await server.close();
  });

  function open(metrics: Metrics, url = server.url): Promise<Transport> {
    const logger = createLogger({ service: 'test', level: 'silent' });
    return createRedisTransport({
      url,
      prefix,
      key,
      concurrency: 16,
      maxQueue: 500,
      graceMs: 2000,
      logger,
      metrics,
    });
  }

  async function startReplica(name: string, url = server.url): Promise<Replica> {
    const metrics = createMetrics(name);
    const transport = await open(metrics, url);
    const journal = new Journal();
    const service = await startMicroservice(echoService(journal, name), transport.serverFor('retrieval'));
    const close = async (): Promise<void> => {
      await service.close();
      await transport.close();
    };
    closing.push(close);
    return { journal, metrics, close };
  }

  async function openOwnLink(): Promise<Link> {
    const link = await openLink(server.url);
    closing.push(() => link.close());
    return link;
  }

  /** A replica in a process of its own, whose handlers never answer. */
  async function startProcess(): Promise<{ child: ChildProcess; received: string[] }> {
    const child = fork(join(import.meta.dirname, 'processes', 'replica.ts'), [server.url, prefix, key], {
      stdio: 'ignore',
    });
    const received: string[] = [];
    child.on('message', (text: string) => received.push(text));
    closing.push(async () => child.kill('SIGKILL'));
    await eventually('the replica to be ready', () => received.includes('ready'));
    return { child, received };
  }

  const call = (text: string, delayMs = 0, deadlineMs = 8000) =>
    client.client.call(echo, { text, delayMs }, { caller, deadline: Date.now() + deadlineMs });
  const outcome = (work: Promise<{ text: string }>): Promise<string> =>
    work.then(
      (answer) => answer.text,
      (error: ServiceError) => error.code,
    );

  /** The first field of a metric's samples with the given labels. */
  async function dropped(metrics: Metrics, reason: string): Promise<number> {
    const { values } = await metrics.transportDropped.get();
    return values.find((sample) => sample.labels.reason === reason)?.value ?? 0;
  }

  async function expectNothingLeft(): Promise<void> {
    await eventually('the stream to be empty', async () => (await redis.xlen(stream)) === 0);
    const [pending] = (await redis.xpending(stream, 'replicas')) as [number];
    expect(pending).toBe(0);
  }

  it('has 1,000 requests over two replicas handled exactly 1,000 times', async () => {
    const replicas = [await startReplica('one'), await startReplica('two')];
    const texts = Array.from({ length: 1000 }, (_, index) => `request ${index}`);
    const queue = texts.values();
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        for (const text of queue) expect((await call(text)).text).toBe(text);
      }),
    );
    const handled = replicas.flatMap((replica) => replica.journal.started);
    expect(handled.toSorted()).toEqual(texts.toSorted());
    for (const replica of replicas) expect(replica.journal.started.length).toBeGreaterThan(0);
    await expectNothingLeft();
  });

  it('runs what a killed replica held again where that is safe, and says so where it is not', async () => {
    const { child, received } = await startProcess();
    const safe = Array.from({ length: 2 }, (_, index) => outcome(call(`safe ${index}`)));
    const once = outcome(client.client.call(echoOnce, { text: 'once' }, { caller }));
    await eventually('the replica to hold all three', () => received.length === 4);
    const survivor = await startReplica('survivor');
    child.kill('SIGKILL');
    expect(await Promise.all(safe)).toEqual(['safe 0', 'safe 1']);
    expect(await once).toBe('outcome_unknown');
    expect(survivor.journal.started.toSorted()).toEqual(['safe 0', 'safe 1']);
    await expectNothingLeft();
  });

  it('leaves a slow but living replica its request', async () => {
    const slow = await startReplica('slow');
    const work = call('slow', 5000);
    await eventually('the slow replica to begin', () => slow.journal.started.length === 1);
    const other = await startReplica('other');
    expect((await work).replica).toBe('slow');
    expect(other.journal.started).toEqual([]);
  });

  it('loses no request that reaches a replica while it closes', async () => {
    const link = await openOwnLink();
    const replica = await startReplica('closing', link.url);
    link.delayAnswers(300);
    const work = call('on its way');
    await eventually('Redis to have handed it out', async () => {
      const [handedOut] = (await redis.xpending(stream, 'replicas')) as [number];
      return handedOut === 1;
    });
    await replica.close();
    await startReplica('next');
    expect((await work).text).toBe('on its way');
    await expectNothingLeft();
  });

  it('notices a connection that died without being closed', async () => {
    const link = await openOwnLink();
    const far = await open(createMetrics('far'), link.url);
    closing.push(() => far.close());
    await startReplica('far', link.url);
    const ask = (): Promise<string> =>
      outcome(far.client.call(echo, { text: 'hello' }, { caller, deadline: Date.now() + 1000 }));
    expect(await ask()).toBe('hello');
    link.silence();
    expect(await ask()).toBe('timeout');
    await eventually('a call to be answered', async () => (await ask()) === 'hello', 20_000);
  });

  it('says that nothing was done where the request never left', async () => {
    await server.stop();
    await eventually('the client to notice', async () => (await outcome(call('lost', 0, 200))) === 'unavailable');
    const deadline = Date.now() + 300;
    expect(await outcome(client.client.call(echoOnce, { text: 'once' }, { caller, deadline }))).toBe('unavailable');
  });

  it('goes on after Redis was emptied', async () => {
    await startReplica('one');
    expect(await outcome(call('before'))).toBe('before');
    await redis.flushall();
    await eventually('a call to be answered', async () => (await outcome(call('after', 0, 1000))) === 'after');
    await expectNothingLeft();
  });

  it('ends every call inside its deadline while Redis restarts, and goes on', async () => {
    await startReplica('one');
    const during = Array.from({ length: 20 }, (_, index) => outcome(call(`during ${index}`, 200, 6000)));
    await server.stop();
    during.push(...Array.from({ length: 20 }, (_, index) => outcome(call(`away ${index}`, 0, 6000))));
    await server.start();
    for (const result of await Promise.all(during))
      expect(result).toMatch(/^(during|away) \d+$|^timeout$|^unavailable$/);
    await eventually('a call to be answered', async () => (await outcome(call('after', 0, 1000))) === 'after');
    await expectNothingLeft();
  });

  it('ends every call inside its deadline while Redis stands still, and goes on', async () => {
    await startReplica('one');
    server.pause();
    const during = Array.from({ length: 10 }, (_, index) => outcome(call(`during ${index}`, 0, 1000)));
    expect(new Set(await Promise.all(during))).toEqual(new Set(['timeout']));
    server.resume();
    await eventually('a call to be answered', async () => (await outcome(call('after', 0, 1000))) === 'after');
    await expectNothingLeft();
  });

  it('refuses a forged caller, a changed payload, an expired and a replayed packet', async () => {
    const { journal, metrics } = await startReplica('one');
    const payload = packetPayload({ text: 'genuine', delayMs: 0 });
    const header = (overrides: object = {}) =>
      JSON.stringify({
        id: randomUUID(),
        operation: echo.name,
        caller,
        trace: {},
        replyTo: `${prefix}:rep:nobody`,
        expiresAt: Date.now() + 60_000,
        ...overrides,
      });
    const add = (text: string, bytes: Buffer, signature: Buffer) =>
      redis.xadd(stream, '*', 'h', text, 'p', bytes, 's', signature);

    const genuine = header();
    await add(genuine, payload, sign(genuine, payload));
    await eventually('the genuine one to run', () => journal.started.length === 1);
    await add(genuine, payload, sign(genuine, payload));
    await eventually('the replay to be refused', async () => (await dropped(metrics, 'replayed')) === 1);

    const stranger = { ...caller, tenantId: randomUUID() };
    await add(header({ caller: stranger }), payload, sign(genuine, payload));
    await add(genuine, packetPayload({ text: 'changed', delayMs: 0 }), sign(genuine, payload));
    await add(genuine, payload, Buffer.alloc(0));
    await eventually('the forged ones to be refused', async () => (await dropped(metrics, 'forged')) === 3);

    const late = header({ expiresAt: Date.now() - 1000 });
    await add(late, payload, sign(late, payload));
    await eventually('the expired one to be refused', async () => (await dropped(metrics, 'expired')) === 1);
    await redis.xadd(stream, '*', 'nonsense', 'x');
    await eventually('nonsense to be refused', async () => (await dropped(metrics, 'malformed')) === 1);
    expect(journal.started).toEqual(['genuine']);
    await expectNothingLeft();
  });
});

/** A payload as the transport encodes it: the length of the JSON text, then the text. */
function packetPayload(value: object): Buffer {
  const json = Buffer.from(JSON.stringify(value));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return Buffer.concat([length, json]);
}

function sign(header: string, payload: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(`request:${Buffer.byteLength(header)}:`)
    .update(header)
    .update(payload)
    .digest();
}
