import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startGateway, type GatewayFixture } from './gateway-fixture.js';
import { hostileTitle, ids, Journal } from './stub-services.js';

let gateway: GatewayFixture;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(() => void Object.assign(gateway.journal, new Journal()));

interface ToolResult {
  isError?: boolean;
  structuredContent?: Record<string, unknown>;
  content: { type: string; text: string }[];
}

/** As much of a client as these tests use; the three have it in common. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(request: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  readResource(request: { uri: string }): Promise<{ contents: unknown[] }>;
  getPrompt(request: {
    name: string;
    arguments: Record<string, string>;
  }): Promise<{ messages: { content: unknown }[] }>;
  close(): Promise<void>;
}

const info = { name: 'test', version: '1.0.0' };

async function connect2(versionNegotiation?: { mode: 'auto' }): Promise<Client2> {
  const authProvider = { token: async () => gateway.token('kb:admin') };
  const client = new Client2(info, versionNegotiation ? { versionNegotiation } : {});
  await client.connect(new Http2(new URL(gateway.url), { authProvider }));
  return client;
}

async function connect1(): Promise<Client1> {
  const client = new Client1(info);
  const headers = { authorization: `Bearer ${await gateway.token('kb:admin')}` };
  await client.connect(
    new Http1(new URL(gateway.url), { requestInit: { headers } }) as Parameters<Client1['connect']>[0],
  );
  return client;
}

const clients: [string, () => Promise<AnyClient>][] = [
  ['the v2 client in modern mode', async () => (await connect2({ mode: 'auto' })) as AnyClient],
  ['the v2 client in legacy mode', async () => (await connect2()) as AnyClient],
  ['the v1 client', async () => (await connect1()) as AnyClient],
];

describe.each(clients)('%s', (_, connect) => {
  let client: AnyClient;
  beforeAll(async () => {
    client = await connect();
  });
  afterAll(() => client.close());

  const call = async (name: string, args: Record<string, unknown> = {}): Promise<ToolResult> =>
    (await client.callTool({ name, arguments: args })) as ToolResult;

  it('lists every tool in the order of the catalogue', async () => {
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual([
      'search_knowledge_base',
      'list_knowledge_bases',
      'list_documents',
      'get_document_content',
      'get_ingestion_status',
      'get_mcp_capabilities',
      'create_knowledge_base',
      'upload_text_document',
      'delete_document',
    ]);
  });

  it('gets a complete answer to a search in both forms', async () => {
    const { structuredContent, content } = await call('search_knowledge_base', { query: '年假' });
    expect(Object.keys(structuredContent!)).toEqual([
      'security',
      'query',
      'top_k',
      'matched',
      'filtered_by_threshold',
      'scope',
      'exhaustive',
      'results',
    ]);
    expect(structuredContent).toMatchObject({
      security: { untrusted: true, notice: expect.any(String) },
      query: '年假',
      top_k: 5,
      matched: 2,
      filtered_by_threshold: 3,
      scope: { knowledgeBaseIds: [ids.knowledgeBase] },
      exhaustive: 'exact',
    });
    const [first] = structuredContent!.results as Record<string, unknown>[];
    expect(first).toEqual({
      rank: 1,
      similarity: 0.89,
      score: 0.79,
      content: '年假 passage 1 \ufffd',
      document_title: hostileTitle,
      documentId: ids.document,
      knowledgeBaseId: ids.knowledgeBase,
      chunkId: ids.chunk,
      chunkIndex: 1,
      citation: { startOffset: 10, endOffset: 19, headingPath: ['Leave'] },
      trust: 'untrusted',
    });
    const text = content[0]!.text;
    const [opening] = /^<lectern-untrusted-[0-9a-f]+>$/m.exec(text)!;
    expect(text.indexOf('delete_document')).toBeGreaterThan(text.indexOf(opening));
    expect(text).toContain('年假 passage 1 \ufffd');
    expect(text).toContain('年假 passage 2 \ufffd');
  });

  it('is told in a sentence when nothing was found', async () => {
    gateway.journal.hits = 0;
    const { isError, structuredContent, content } = await call('search_knowledge_base', { query: 'x' });
    expect(isError ?? false).toBe(false);
    expect(structuredContent).toMatchObject({ matched: 0, results: [] });
    expect(content[0]!.text).toMatch(/^Nothing relevant was found/);
  });

  it('accepts every answer of every tool under its own output schema', async () => {
    await client.listTools();
    const calls: [string, Record<string, unknown>][] = [
      ['list_knowledge_bases', {}],
      ['list_documents', {}],
      ['get_document_content', { document_id: ids.document }],
      ['get_ingestion_status', { jobId: ids.job }],
      ['get_mcp_capabilities', {}],
      ['create_knowledge_base', { name: 'Handbook' }],
      ['upload_text_document', { knowledgeBaseId: ids.knowledgeBase, fileName: 'a.md', content: 'x' }],
    ];
    for (const [name, args] of calls) {
      const { isError, structuredContent } = await call(name, args);
      expect([name, isError ?? false, typeof structuredContent]).toEqual([name, false, 'object']);
    }
  });

  it('gets an unknown tool refused as a protocol error', async () => {
    await expect(client.callTool({ name: 'drop_database', arguments: {} })).rejects.toThrow(
      /Tool drop_database not found/,
    );
  });

  it('reads resources and the prompt', async () => {
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['kb://documents', 'kb://knowledge-bases']);
    const [documents] = (await client.readResource({ uri: 'kb://documents' })).contents as { text: string }[];
    expect(JSON.parse(documents!.text)).toMatchObject({ security: { untrusted: true }, items: [{ id: ids.document }] });
    const [document] = (await client.readResource({ uri: `kb://documents/${ids.document}` })).contents as {
      text: string;
    }[];
    expect(document!.text).toContain('Half \ufffd of an emoji');
    await expect(client.readResource({ uri: `kb://documents/${ids.job}` })).rejects.toThrow(/no such document/);
    const long = `kb://documents/${'a'.repeat(3000)}`;
    await expect(client.readResource({ uri: long })).rejects.toThrow(/uri takes at most 2048 characters/);
    const prompt = await client.getPrompt({ name: 'kb_qa', arguments: { question: 'How long is leave?' } });
    expect(prompt.messages).toHaveLength(1);
    expect(JSON.stringify(prompt.messages)).toMatch(/search_knowledge_base.*Question: How long is leave\?/);
  });

  it('follows an upload until the document is ready', async () => {
    gateway.journal.statuses = ['queued', 'processing', 'ready'];
    const answer = await call('upload_text_document', {
      knowledge_base_id: ids.knowledgeBase.toUpperCase(),
      file_name: 'a.md',
      content: 'x',
    });
    expect(answer.structuredContent).toMatchObject({
      status: 'ready',
      created: true,
      chunksTotal: 4,
      fileName: 'a.md',
    });
    expect(gateway.journal.last('submit_document')).toMatchObject({ knowledgeBaseId: ids.knowledgeBase });
  });
});

describe('service information', () => {
  it('names first the protocol version that a modern client agrees on', async () => {
    const client = await connect2({ mode: 'auto' });
    const headers = { authorization: `Bearer ${await gateway.token('kb:read')}` };
    const service = (await (await fetch(gateway.url, { headers })).json()) as { protocolVersion: string };
    expect(client.getNegotiatedProtocolVersion()).toBe(service.protocolVersion);
    await client.close();
  });
});

describe('progress', () => {
  it.each([
    ['modern', { mode: 'auto' } as const],
    ['legacy', undefined],
  ])('reaches a %s client', async (_, mode) => {
    const client = await connect2(mode);
    gateway.journal.statuses = ['queued', 'processing', 'processing', 'ready'];
    const seen: number[] = [];
    const upload = { knowledgeBaseId: ids.knowledgeBase, fileName: 'a.md', content: 'x' };
    await client.callTool(
      { name: 'upload_text_document', arguments: upload },
      { onprogress: ({ progress }) => seen.push(progress) },
    );
    await client.close();
    expect(seen).toEqual([0, 55, 100]);
  });
});
