import 'reflect-metadata';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@lectern/database';
import type { Logger, Metrics } from '@lectern/telemetry';
import type { Service } from '@lectern/service';
import type { Transport } from '@lectern/transport';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import { Authenticator } from './auth/authenticator.js';
import { OriginGuard } from './auth/origin-guard.js';
import { TokenStore } from './auth/token-store.js';
import type { GatewaySettings } from './config.js';
import { createFront } from './http/front.js';
import { RouteErrorFilter } from './http/route-error.filter.js';
import { McpEndpoint } from './mcp/endpoint.js';
import { productOffer, type Offer } from './mcp/offer.js';
import { ServerFactory } from './mcp/server-factory.js';
import { ToolRunner } from './tools/run-tool.js';

export interface GatewayPorts {
  readonly transport: Transport;
  /** In the gateway's role. */
  readonly database: Database;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The product's own unless said otherwise; no setting can say so. */
  readonly offer?: Offer;
}

/**
 * When it closes it first says that it is not ready and goes on for the delay; then it stops listening, lets running
 * requests end within the grace period, and ends the open streams.
 */
export interface GatewayService extends Service {
  readonly port: number;
  /** URL of the MCP endpoint. */
  readonly url: string;
}

/** Starts the gateway: when this resolves, it listens. The ports stay the caller's to close. */
export async function createService(config: GatewaySettings, ports: GatewayPorts): Promise<GatewayService> {
  let closing = false;
  const isReady = async (): Promise<boolean> => !closing && (await portsAreReady(ports));
  const endpoint = createEndpoint(config, ports);
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.register({ metrics: ports.metrics, isReady }),
    // Nest's own logger writes to stdout, which may be a protocol channel.
    { logger: false, abortOnError: false, bodyParser: false },
  );
  app.disable('x-powered-by');
  const guard = new OriginGuard({
    hosts: config.MCP_ALLOWED_HOSTS,
    origins: config.MCP_ALLOWED_ORIGINS,
    publicUrl: config.PUBLIC_URL,
  });
  app.use(createFront(guard, endpoint, ports.logger));
  app.useGlobalFilters(new RouteErrorFilter(config.MCP_BASE_PATH, ports.logger));
  await app.listen(config.PORT, config.HOST);
  const server: Server = app.getHttpServer();
  boundArrival(server, config.MCP_REQUEST_TIMEOUT_SECONDS * 1000);
  const { port } = server.address() as AddressInfo;
  server.prependListener('request', (_request, response) => {
    // Else a client would send its next request on a connection that ends with us.
    if (closing) response.shouldKeepAlive = false;
  });
  return {
    port,
    url: endpointUrl(config, port),
    isReady,
    async close() {
      closing = true;
      await delay(config.SHUTDOWN_DELAY_MS);
      await drain(server, endpoint, config.SHUTDOWN_GRACE_MS);
      await app.close();
    },
  };
}

function createEndpoint(config: GatewaySettings, ports: GatewayPorts): McpEndpoint {
  const { transport, database, logger, metrics, offer = productOffer } = ports;
  const mode = { toolsets: config.MCP_TOOLSETS, readOnly: config.MCP_READ_ONLY };
  const runner = new ToolRunner({ client: transport.client, logger, metrics, mode });
  const facts = {
    ...mode,
    basePath: config.MCP_BASE_PATH,
    requestTimeoutSeconds: config.MCP_REQUEST_TIMEOUT_SECONDS,
  };
  return new McpEndpoint({
    authenticator: new Authenticator(new TokenStore(database), logger, config.MCP_TOKEN),
    offer,
    servers: new ServerFactory({ offer, runner, mode, facts }),
    mode,
    basePath: config.MCP_BASE_PATH,
    requestTimeoutMs: config.MCP_REQUEST_TIMEOUT_SECONDS * 1000,
    logger,
  });
}

async function portsAreReady({ transport, database }: GatewayPorts): Promise<boolean> {
  await database.ping();
  return transport.isConnected();
}

function endpointUrl(config: GatewaySettings, port: number): string {
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  return new URL(config.MCP_BASE_PATH, config.PUBLIC_URL ?? `http://${host}:${port}`).href;
}

/**
 * Ends connections whose request does not arrive. A request's own time begins with its last header, and its refusal
 * says more than Node's, so Node waits for the body a little longer.
 */
function boundArrival(server: Server, requestTimeoutMs: number): void {
  server.headersTimeout = requestTimeoutMs;
  server.requestTimeout = 2 * requestTimeoutMs + 1000;
}

async function drain(server: Server, endpoint: McpEndpoint, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that is kept alive becomes idle when its last answer is out, and would stay for seconds.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const grace = setTimeout(() => {
    void endpoint.close().finally(() => server.closeAllConnections());
  }, graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(grace);
  await endpoint.close();
}
