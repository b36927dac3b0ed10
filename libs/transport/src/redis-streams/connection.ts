import { Redis } from 'ioredis';
import type { Logger } from '@lectern/telemetry';

/** A connection is asked something this often … */
const askEveryMs = 1000;
/** … and given up after so many questions without an answer. Reads block for a second at most. */
const unanswered = 5;

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
  watch(redis);
  return redis;
}

/**
 * Ends a connection that has become silent: a machine that vanished closes nothing, and its readers would wait for hours.
 * The driver's own timeout is set and cleared with every command, which costs more than all of this in a second.
 */
function watch(redis: Redis): void {
  let heard = -1;
  let silent = 0;
  const timer = setInterval(() => {
    if (redis.status !== 'ready') return;
    const { stream } = redis;
    silent = stream.bytesRead === heard ? silent + 1 : 0;
    heard = stream.bytesRead;
    if (silent >= unanswered) stream.destroy(new Error('Redis has not answered for five seconds.'));
    else redis.ping().catch(() => undefined);
  }, askEveryMs);
  timer.unref();
  redis.once('end', () => clearInterval(timer));
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

/** Resolves when everything has run that waits for what has happened already, and nothing that waits for more. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
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
