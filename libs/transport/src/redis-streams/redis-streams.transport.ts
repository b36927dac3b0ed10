import type { Logger, Metrics } from '@lectern/telemetry';
import type { Transport } from '../call.js';
import type { LaneLimits } from '../lane-limits.js';
import { ChannelClient } from '../service-client.js';
import { RedisStreamsClient } from './redis-streams.client.js';
import { RedisStreamsServer } from './redis-streams.server.js';
import { Signer } from './signer.js';

export interface RedisTransportOptions extends LaneLimits {
  url: string;
  /** First part of every key. */
  prefix: string;
  /** Secret that all services share. */
  key: string;
  /** Milliseconds in which running requests may end when a server closes. */
  graceMs: number;
  logger: Logger;
  metrics: Metrics;
}

/** Requests between processes over Redis Streams. Resolves when the client is connected. */
export async function createRedisTransport(options: RedisTransportOptions): Promise<Transport> {
  const { url, prefix, maxQueue, logger, metrics } = options;
  const signer = new Signer(
    options.key,
    atMostOnceAMinute(() => logger.warn(mismatch)),
  );
  const client = new RedisStreamsClient({ url, prefix, signer, maxQueue, logger, metrics });
  await client.start();
  return {
    client: new ChannelClient(client),
    serverFor: (service) => new RedisStreamsServer({ ...options, service, signer, limits: options }),
    isConnected: async () => client.isConnected(),
    close: () => client.close(),
  };
}

const mismatch =
  'a packet with another signature was dropped; every service that shares a Redis prefix needs the same key';

function atMostOnceAMinute(action: () => void): () => void {
  let next = -Infinity;
  return () => {
    if (performance.now() < next) return;
    next = performance.now() + 60_000;
    action();
  };
}
