import { Redis } from 'ioredis';
import type { Logger } from '@lectern/telemetry';

/** Silence after which a connection that waits for an answer is given up. Reads block for a second at most. */
const socketTimeoutMs = 5000;

/**
 * A connection that comes back by itself. While it is away commands fail at once instead of waiting, so that their
 * callers can say so inside their deadline.
 */
export function connect(url: string, logger: Logger, name: string): Redis {
  const redis = new Redis(url, {
    connectionName: `lectern-${name}`,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResubscribe: true,
    // A blocked connection is not worth waiting for.
    disconnectTimeout: 100,
    // A machine that vanished closes nothing: without this its readers would wait for hours.
    socketTimeout: socketTimeoutMs,
    retryStrategy: (attempt) => Math.min(50 * attempt, 1000),
    lazyConnect: true,
  });
  // Every call that waits for a lost connection listens to it.
  redis.setMaxListeners(0);
  let failing = false;
  redis.on('error', (error: unknown) => {
    if (!failing) logger.warn({ err: error, connection: name }, 'Redis connection lost');
    failing = true;
  });
  redis.on('ready', () => {
    failing = false;
  });
  return redis;
}

/** Asks a connection that only listens every second, so that it notices its death like the others. Returns what ends that. */
export function keepAsking(redis: Redis): () => void {
  const timer = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined);
  }, 1000);
  return () => clearInterval(timer);
}

/** Resolves when the connection can take commands, or when the signal aborts. */
export async function untilReady(redis: Redis, signal: AbortSignal): Promise<void> {
  if (redis.status === 'ready' || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      redis.removeListener('ready', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    redis.on('ready', done);
    signal.addEventListener('abort', done, { once: true });
  });
}

/** Lets the current turn of the event loop end. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

export function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done, { once: true });
  });
}
