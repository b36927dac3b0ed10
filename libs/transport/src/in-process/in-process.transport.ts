import { ServiceError, type ServiceName } from '@lectern/contracts';
import type { Logger, Metrics } from '@lectern/telemetry';
import type { Transport } from '../call.js';
import type { LaneLimits } from '../lane-limits.js';
import { ChannelClient } from '../service-client.js';
import { InProcessServer } from './in-process.server.js';

export interface InProcessTransportOptions extends Partial<LaneLimits> {
  logger: Logger;
  metrics: Metrics;
}

/** Requests between services of one process. Payloads are encoded all the same, so that nobody shares objects. */
export function createInProcessTransport(options: InProcessTransportOptions): Transport {
  const replicas = new Map<ServiceName, InProcessServer[]>();
  const limits = { concurrency: options.concurrency ?? 32, maxQueue: options.maxQueue ?? 4096 };
  let next = 0;
  const client = new ChannelClient({
    async request(request, end) {
      const available = replicas.get(request.operation.service) ?? [];
      const server = available[next % Math.max(1, available.length)];
      next += 1;
      if (!server) {
        throw new ServiceError('unavailable', `The ${request.operation.service} service is not running. Try again.`, {
          retryAfterMs: 1000,
        });
      }
      return untilAborted(server.handle(request, end), end.signal);
    },
  });
  return {
    client,
    serverFor: (service) =>
      new InProcessServer(
        options.logger,
        options.metrics,
        limits,
        (server) => replicas.set(service, [...(replicas.get(service) ?? []), server]),
        (server) =>
          replicas.set(
            service,
            (replicas.get(service) ?? []).filter((one) => one !== server),
          ),
      ),
    isConnected: async () => true,
    close: async () => undefined,
  };
}

/** The caller of an aborted request does not wait for the handler to notice. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
