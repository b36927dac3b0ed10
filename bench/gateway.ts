// What the gateway adds to the SDK: calls a second and latency of a tool whose operation does nothing, beside a bare SDK
// server with an echo tool, in the same run. npm run bench -- gateway
import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer, Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@lectern/config';
import { listKnowledgeBases } from '@lectern/contracts';
import type { Database } from '@lectern/database';
import { createService, gatewaySettings } from '@lectern/mcp-gateway';
import { createLogger, createMetrics } from '@lectern/telemetry';
import { createInProcessTransport } from '@lectern/transport';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { runLoad, summarise } from './support/load.js';

const token = 'bench-token-of-the-gateway';
const tenantId = randomUUID();

/** A bare server of the SDK: one tool, no authentication. */
async function serveBare(): Promise<string> {
  const output = z.object({ items: z.array(z.string()) });
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'bare', version: '1.0.0' });
    server.registerTool(
      'list_knowledge_bases',
      { description: 'Answers nothing.', inputSchema: z.object({}), outputSchema: output },
      async () => ({ content: [{ type: 'text', text: 'nothing' }], structuredContent: { items: [] } }),
    );
    return server;
  });
  const node = toNodeHandler(handler);
  const server = createServer((incoming, outgoing) => void node(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** The gateway as it is, with a service that answers at once in the same process. */
async function serveGateway(): Promise<string> {
  const logger = createLogger({ service: 'bench', level: 'silent' });
  const metrics = createMetrics('bench');
  const transport = createInProcessTransport({ logger, metrics });
  const service = transport.serverFor('retrieval');
  service.addHandler(listKnowledgeBases.name, async () => ({ items: [] }), false, { operation: listKnowledgeBases });
  await new Promise<void>((resolve) => service.listen(() => resolve()));
  const database: Database = {
    withTenant: () => Promise.reject(new Error('the fixed token needs no row')),
    lookup: async <Row extends object>() => [{ tenant_id: tenantId }] as unknown as Row[],
    assertSchema: async () => undefined,
    ping: async () => undefined,
    close: async () => undefined,
  };
  const config = loadConfig(gatewaySettings, { PORT: '0', MCP_TOKEN: token });
  return (await createService(config, { transport, database, logger, metrics })).url;
}

const body = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'list_knowledge_bases',
    arguments: {},
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});
const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  authorization: `Bearer ${token}`,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'list_knowledge_bases',
  'content-length': Buffer.byteLength(body),
};

function call(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.on('data', (bytes: Buffer) => (text += bytes.toString()));
      response.on('end', () => {
        if (response.statusCode === 200 && text.includes('structuredContent')) resolve();
        else reject(new Error(`${response.statusCode} ${text}`));
      });
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

async function measure(url: string, connections: number, count: number): Promise<ReturnType<typeof summarise>> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const load = await runLoad(Array.from({ length: count }), connections, () => call(url, agent));
  agent.destroy();
  return summarise(load);
}

function start(role: string): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(fileURLToPath(import.meta.url), [], { env: { ...process.env, BENCH_ROLE: role } });
  return new Promise((resolve) => child.once('message', (url: string) => resolve({ child, url })));
}

async function compare(): Promise<void> {
  const servers = { bare: await start('bare'), gateway: await start('gateway') };
  for (const { url } of Object.values(servers)) await measure(url, 8, 2000);
  for (const connections of [1, 32]) {
    const bare = await measure(servers.bare.url, connections, 8000);
    const gateway = await measure(servers.gateway.url, connections, 8000);
    console.log(
      `${connections} connection(s): bare SDK ${bare.perSecond.toFixed(0)} calls/s (p50 ${bare.p50.toFixed(2)} ms), ` +
        `gateway ${gateway.perSecond.toFixed(0)} (p50 ${gateway.p50.toFixed(2)} ms): ` +
        `${(gateway.perSecond / bare.perSecond).toFixed(2)} of the bare rate (at least 0.6 is the aim)`,
    );
  }
  for (const { child } of Object.values(servers)) child.kill('SIGKILL');
}

if (process.env.BENCH_ROLE === 'bare') process.send?.(await serveBare());
else if (process.env.BENCH_ROLE === 'gateway') process.send?.(await serveGateway());
else await compare();
