import { PassThrough } from 'node:stream';
import { testCaller } from '@lectern/testing';
import { createLogger, createMetrics } from '@lectern/telemetry';
import { createInProcessTransport, type RunningMicroservice, type Transport } from '@lectern/transport';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createStdioServer, type StdioOptions } from '../src/index.js';
import { ids, Journal, startStubServices } from './stub-services.js';

const tenantId = '0190a1b2-c3d4-7e5f-8a6b-999999999999';
const journal = new Journal();
const logger = createLogger({ service: 'test', level: 'silent' });
const metrics = createMetrics('test');
let transport: Transport;
let services: RunningMicroservice;

beforeAll(async () => {
  transport = createInProcessTransport({ logger, metrics });
  services = await startStubServices(transport, journal);
});
afterAll(async () => {
  await services.close();
  await transport.close();
});

function options(overrides: Partial<StdioOptions> = {}): StdioOptions {
  const { requestId: _, ...caller } = testCaller(tenantId, { subject: 'stdio' });
  return {
    ...{ caller, client: transport.client, logger, metrics, requestTimeoutSeconds: 5 },
    mode: { toolsets: ['all'], readOnly: false },
    ...overrides,
  };
}

describe('a server on stdio', () => {
  it.each([['auto'], [undefined]] as const)('serves a client that negotiates %s', async (mode) => {
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    const server = createStdioServer(options({ transport: serverSide }));
    const client = new Client({ name: 'test', version: '1' }, mode ? { versionNegotiation: { mode } } : {});
    await client.connect(clientSide);
    expect((await client.listTools()).tools).toHaveLength(9);
    const found = await client.callTool({ name: 'search_knowledge_base', arguments: { query: '年假' } });
    expect(found.structuredContent).toMatchObject({ matched: 2 });
    await client.callTool({ name: 'list_documents', arguments: {} });
    const [first, second] = journal.requests.slice(-2).map(({ call }) => call.caller);
    expect(first).toMatchObject({ tenantId, subject: 'stdio' });
    expect(second!.requestId).not.toBe(first!.requestId);
    await client.close();
    await server.close();
  });

  it('refuses danger and names the command that does it', async () => {
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    const server = createStdioServer(options({ transport: serverSide }));
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(clientSide);
    const refused = await client.callTool({ name: 'delete_document', arguments: { documentId: ids.document } });
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused.content)).toContain(`lectern delete-document ${ids.document}`);
    expect(journal.last('delete_document')).toBeUndefined();
    await client.close();
    await server.close();
  });

  it('writes nothing but protocol', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const server = createStdioServer(options({ transport: new StdioServerTransport(input, output) }));
    const lines: string[] = [];
    const answered = new Promise<void>((resolve) => {
      output.on('data', (chunk: Buffer) => {
        lines.push(...chunk.toString('utf8').split('\n').filter(Boolean));
        if (lines.some((line) => line.includes('"id":2'))) resolve();
      });
    });
    const clientInfo = { name: 'test', version: '1' };
    const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    for (const message of [
      { id: 1, method: 'initialize', params: initialize },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'list_documents', arguments: {} } },
    ]) {
      input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    }
    await answered;
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    await server.close();
  });
});
