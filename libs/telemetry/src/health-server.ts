import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.js';
import { isReadyNow } from './readiness.js';

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface HealthServerOptions {
  host: string;
  /** 0 takes any free port. */
  port: number;
  metrics: Metrics;
  /** True while requests can be answered. */
  isReady: () => Promise<boolean>;
}

/** Answers /livez, /readyz and /metrics without authentication and without starting any work. */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    answer(request.url ?? '/', response, options).catch(() => send(response, 500, 'error'));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

async function answer(url: string, response: ServerResponse, options: HealthServerOptions): Promise<void> {
  switch (url.split('?')[0]) {
    case '/livez':
      return send(response, 200, 'ok');
    case '/readyz': {
      const ready = await isReadyNow(options.isReady);
      return send(response, ready ? 200 : 503, ready ? 'ok' : 'not ready');
    }
    case '/metrics':
      response.setHeader('content-type', options.metrics.registry.contentType);
      return send(response, 200, await options.metrics.registry.metrics());
    default:
      return send(response, 404, 'not found');
  }
}

function send(response: ServerResponse, status: number, body: string): void {
  response.statusCode = status;
  response.end(body);
}
