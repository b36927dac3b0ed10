import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { ServiceError } from '@lectern/contracts';
import { createLogger, createMetrics, type Logger, type Metrics } from '@lectern/telemetry';
import { eventually, openLink, startRedis, testCaller, type Link, type OwnRedis } from '@lectern/testing';
import { createRedisTransport, startMicroservice, type Transport } from '@lectern/transport';
import { expect } from '@jest/globals';
import { Redis } from 'ioredis';
import { echoService, Journal } from './echo-service.js';
import { echo, echoOnce } from './operations.js';

export const prefix = 'faults';
export const key = 'a key that all services of the test share';
export const stream = `${prefix}:req:retrieval:interactive`;
export const caller = testCaller('01890000-0000-7000-8000-000000000001');

export interface Replica {
  journal: Journal;
  metrics: Metrics;
  close(): Promise<void>;
}

interface OpenOptions {
  metrics?: Metrics;
  url?: string;
  key?: string;
  logger?: Logger;
}

/** A Redis of the test's own, a client, and as many replicas as it wants. */
export class FaultFixture {
  private readonly closing: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly server: OwnRedis,
    readonly redis: Redis,
    readonly client: Transport,
  ) {}

  static async start(): Promise<FaultFixture> {
    const server = await startRedis();
    const redis = new Redis(server.url, { maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    return new FaultFixture(server, redis, await open({ url: server.url }));
  }

  async close(): Promise<void> {
    for (const close of this.closing.splice(0).toReversed()) await close();
    await this.client.close();
    this.redis.disconnect();
    await this.server.close();
  }

  /** Another transport on the same Redis. */
  async open(options: OpenOptions = {}): Promise<Transport> {
    const transport = await open({ url: this.server.url, ...options });
    this.closing.push(() => transport.close());
    return transport;
  }

  async startReplica(name: string, options: OpenOptions = {}): Promise<Replica> {
    const metrics = createMetrics(name);
    const transport = await open({ url: this.server.url, ...options, metrics });
    const journal = new Journal();
    const service = await startMicroservice(echoService(journal, name), transport.serverFor('retrieval'));
    const close = async (): Promise<void> => {
      await service.close();
      await transport.close();
    };
    this.closing.push(close);
    return { journal, metrics, close };
  }

  /** A replica in a process of its own, and the texts that it has begun with. */
  async startProcess(manner: 'answers' | 'holds'): Promise<{ child: ChildProcess; begun: string[] }> {
    const path = join(import.meta.dirname, 'processes', 'replica.ts');
    const child = fork(path, [this.server.url, prefix, key, manner], { stdio: 'ignore' });
    const received: string[] = [];
    child.on('message', (text: string) => received.push(text));
    this.closing.push(async () => child.kill('SIGKILL'));
    await eventually('the replica to be ready', () => received.includes('ready'));
    received.splice(0);
    return { child, begun: received };
  }

  async openLink(): Promise<Link> {
    const link = await openLink(this.server.url);
    this.closing.push(() => link.close());
    return link;
  }

  call(text: string, delayMs = 0, deadlineMs = 8000): Promise<{ text: string; replica: string }> {
    return this.client.client.call(echo, { text, delayMs }, { caller, deadline: Date.now() + deadlineMs });
  }

  callOnce(text: string, delayMs = 0, deadlineMs = 8000): Promise<{ text: string; replica: string }> {
    return this.client.client.call(echoOnce, { text, delayMs }, { caller, deadline: Date.now() + deadlineMs });
  }

  /** How many requests Redis has handed to replicas that have not answered them. */
  async handedOut(): Promise<number> {
    const [pending] = (await this.redis.xpending(stream, 'replicas')) as [number];
    return pending;
  }

  async expectNothingLeft(): Promise<void> {
    await eventually('the stream to be empty', async () => (await this.redis.xlen(stream)) === 0);
    expect(await this.handedOut()).toBe(0);
  }
}

/** The text of an answer, or the code of the error. */
export function outcome(work: Promise<{ text: string }>): Promise<string> {
  return work.then(
    (answer) => answer.text,
    (error: ServiceError) => error.code,
  );
}

/** How many packets a replica or client has dropped for a reason. */
export async function dropped(metrics: Metrics, reason: string): Promise<number> {
  const { values } = await metrics.transportDropped.get();
  return values.find((sample) => sample.labels.reason === reason)?.value ?? 0;
}

function open({ url, metrics = createMetrics('test'), ...options }: OpenOptions & { url: string }): Promise<Transport> {
  return createRedisTransport({
    url,
    prefix,
    key: options.key ?? key,
    concurrency: 16,
    maxQueue: 500,
    graceMs: 2000,
    logger: options.logger ?? createLogger({ service: 'test', level: 'silent' }),
    metrics,
  });
}
