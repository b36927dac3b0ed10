import { loadConfig } from '@lectern/config';
import type { Scope } from '@lectern/contracts';
import { createLogger, createMetrics, type Metrics } from '@lectern/telemetry';
import { testPostgres, type TestPostgres } from '@lectern/testing';
import { createInProcessTransport } from '@lectern/transport';
import { createService, gatewaySettings, type GatewayPorts, type GatewayService } from '../src/index.js';
import { Journal, startStubServices } from './stub-services.js';

export interface GatewayFixture {
  readonly url: string;
  readonly origin: string;
  readonly journal: Journal;
  readonly metrics: Metrics;
  readonly postgres: TestPostgres;
  readonly service: GatewayService;
  readonly tenantId: string;
  /** A token of the tenant with these scopes. */
  token(...scopes: Scope[]): Promise<string>;
  /** Sends a body to the MCP endpoint as a script would. */
  post(
    body: unknown,
    options?: { token?: string; headers?: Record<string, string>; query?: string },
  ): Promise<Response>;
  close(): Promise<void>;
}

/** A gateway on a free port with a real token database and stub services behind it. */
export async function startGateway(
  settings: Record<string, string> = {},
  ports: Partial<Pick<GatewayPorts, 'offer' | 'logger'>> = {},
): Promise<GatewayFixture> {
  const journal = new Journal();
  const logger = createLogger({ service: 'test', level: 'silent' });
  const metrics = createMetrics('mcp-gateway');
  const transport = createInProcessTransport({ logger, metrics });
  const postgres = await testPostgres();
  const services = await startStubServices(transport, journal);
  const tenantId = await postgres.createTenant('default');
  const config = loadConfig(gatewaySettings, { PORT: '0', SHUTDOWN_GRACE_MS: '500', ...settings });
  const database = postgres.database('gateway');
  const service = await createService(config, { transport, database, logger, metrics, ...ports });
  const token = async (...scopes: Scope[]): Promise<string> =>
    (await postgres.issueToken(tenantId, { name: 'test', subject: 'tester', scopes })).token;
  const everything = await token('kb:admin');
  return {
    ...{ journal, metrics, postgres, service, tenantId, token },
    url: service.url,
    origin: `http://127.0.0.1:${service.port}`,
    post: (body, options = {}) =>
      fetch(`${service.url}${options.query ?? ''}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${options.token ?? everything}`,
          'content-type': 'application/json',
          ...options.headers,
        },
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    async close() {
      await service.close();
      await services.close();
      await transport.close();
      await postgres.close();
    },
  };
}

/** A legacy call of a tool. */
export function toolCall(name: string, args: Record<string, unknown> = {}, id: number | string = 1) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

/** A modern call of a tool, with the headers that go with it. */
export function modernToolCall(name: string, args: Record<string, unknown> = {}) {
  const { headers, body } = modernRequest('tools/call', { name, arguments: args });
  return { headers: { ...headers, 'mcp-name': name }, body };
}

/** A modern request, with the headers that go with it. */
export function modernRequest(method: string, params: Record<string, unknown> = {}, version = '2026-07-28') {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return {
    headers: { 'mcp-protocol-version': version, 'mcp-method': method },
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ..._meta, ...(params._meta as object) } } },
  };
}

/** The last message of an event stream. */
export function lastEvent(stream: string): {
  id?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
} {
  const data = stream.split('\n').findLast((line) => line.startsWith('data: '));
  return JSON.parse((data ?? 'data: {}').slice('data: '.length)) as ReturnType<typeof lastEvent>;
}
