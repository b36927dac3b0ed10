import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { Redis } from 'ioredis';

/** A key space of one test file on a shared Redis; its keys are removed at the end. */
export interface TestRedis {
  readonly url: string;
  readonly prefix: string;
  close(): Promise<void>;
}

/** A key space on TEST_REDIS_URL, else on this machine's Redis. */
export async function testRedis(): Promise<TestRedis> {
  const url = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';
  const prefix = `lectern-test-${randomBytes(6).toString('hex')}`;
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 1, retryStrategy: () => null });
  redis.on('error', () => undefined);
  await redis.connect().catch((error: unknown) => {
    throw new Error('these tests need Redis on 127.0.0.1:6379 or in TEST_REDIS_URL', { cause: error });
  });
  return {
    url,
    prefix,
    async close() {
      // Keys are `<prefix>:…`, BullMQ's in braces.
      for (const pattern of [`${prefix}*`, `{${prefix}*`]) {
        for await (const keys of redis.scanStream({ match: pattern, count: 1000 })) {
          if ((keys as string[]).length > 0) await redis.unlink(...(keys as string[]));
        }
      }
      await redis.quit();
    },
  };
}

/** A Redis server of a test's own, which it may stop, pause and start again on the same port. */
export interface OwnRedis {
  readonly url: string;
  readonly port: number;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Suspends the process: connections stay, nothing answers. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

/** Starts `redis-server` on a free port, without persistence. */
export async function startRedis(): Promise<OwnRedis> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    const running = child;
    child = undefined;
    if (!running || running.exitCode !== null) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await ended;
  };
  const start = async (): Promise<void> => {
    child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
      stdio: 'ignore',
    });
    child.once('error', () => undefined);
    await waitForPing(url);
  };
  await start();
  return {
    url,
    port,
    start,
    stop,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    close: stop,
  };
}

async function waitForPing(url: string): Promise<void> {
  const redis = new Redis(url, { retryStrategy: (attempt) => (attempt < 100 ? 50 : null), maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  try {
    await redis.ping();
  } finally {
    redis.disconnect();
  }
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
