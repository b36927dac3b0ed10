import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { eventually } from '@lectern/testing';
import { callTool, connectClient, connectStdioClient } from '../support/client.js';
import { inspect } from '../support/inspector.js';
import { processTree } from '../support/processes.js';
import { cliEntry, startServer, type ServerProcess } from '../support/server-process.js';

/** What a user needs for the main job. */
const mainTools = [
  'create_knowledge_base',
  'delete_document',
  'get_document_content',
  'get_ingestion_status',
  'get_mcp_capabilities',
  'list_documents',
  'list_knowledge_bases',
  'search_knowledge_base',
  'upload_text_document',
];

describe('embedded mode', () => {
  let dataDir: string;
  let server: ServerProcess;
  let url: string;
  let token: string;
  /** As plain HTTP lists them. */
  let toolNames: string[];

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'lectern-e2e-'));
    // Nothing but Node: no psql, no redis-server.
    server = await startServer(['start', '--port', '0', '--data-dir', dataDir], { PATH: '/nowhere' });
    [url, token] = [server.urls[0]!, server.token];
    const listed = await fetch(`${url}/tools`, { headers: { authorization: `Bearer ${token}` } });
    const { tools } = (await listed.json()) as { tools: { name: string }[] };
    toolNames = tools.map((tool) => tool.name).toSorted();
    expect(toolNames).toEqual(expect.arrayContaining(mainTools));
  });
  afterAll(async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it.each(['modern', 'legacy'] as const)('serves the official client in its %s mode', async (era) => {
    const client = await connectClient(url, token, era);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name).toSorted()).toEqual(toolNames);
    const { results } = await callTool<{ results: { content: string; document_title: string }[] }>(
      client,
      'search_knowledge_base',
      { query: '令牌丢失后怎么办？' },
    );
    expect(results[0]?.document_title).toBe('运维手册.zh.md');
    const documents = await client.readResource({ uri: 'kb://documents' });
    expect(JSON.stringify(documents.contents)).toContain('machines.csv');
    const prompt = await client.getPrompt({ name: 'kb_qa', arguments: { question: 'How long is a leave?' } });
    expect(JSON.stringify(prompt.messages)).toContain('How long is a leave?');
    await client.close();
  });

  it('serves the client of version 1', async () => {
    const client = new OldClient({ name: 'old', version: '1.0.0' });
    await client.connect(
      new OldHttpTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }),
    );
    expect((await client.listTools()).tools).toHaveLength(toolNames.length);
    const found = await client.callTool({ name: 'search_knowledge_base', arguments: { query: 'ERR_QUEUE_FULL' } });
    expect(JSON.stringify(found.structuredContent)).toContain('team-faq.mixed.md');
    await client.close();
  });

  it('serves the MCP Inspector over HTTP and stdio', async () => {
    const http = [
      url,
      '--transport',
      'http',
      '--header',
      `Authorization: Bearer ${token}`,
      '--stored-auth-only',
      '--format',
      'json',
    ];
    const listed = await inspect([...http, '--method', 'tools/list']);
    expect(JSON.parse(listed.stdout).result.tools).toHaveLength(toolNames.length);
    const called = await inspect([
      ...http,
      '--method',
      'tools/call',
      '--tool-name',
      'search_knowledge_base',
      '--tool-args-json',
      '{"query":"年假几天"}',
      '-q',
    ]);
    expect(called).toMatchObject({ code: 0, stdout: expect.stringContaining('fifteen days') });
    const stdio = await inspect([
      process.execPath,
      cliEntry,
      'stdio',
      '-e',
      `LECTERN_DATA_DIR=${dataDir}`,
      '--transport',
      'stdio',
      '--format',
      'json',
      '--method',
      'tools/list',
    ]);
    expect(JSON.parse(stdio.stdout).result.tools).toHaveLength(toolNames.length);
  });

  it('speaks nothing but the protocol on stdio, while the server is running', async () => {
    const client = new OldClient({ name: 'desktop', version: '1.0.0' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [cliEntry, 'stdio'],
        env: { LECTERN_DATA_DIR: dataDir },
        stderr: 'ignore',
      }),
    );
    const found = await client.callTool({ name: 'search_knowledge_base', arguments: { query: 'backup 备份' } });
    expect(JSON.stringify(found.structuredContent)).toContain('pg_dump');
    const { documents } = {
      documents: JSON.stringify((await client.readResource({ uri: 'kb://documents' })).contents),
    };
    const documentId = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(documents)?.[0];
    const refused = await client.callTool({ name: 'delete_document', arguments: { documentId } });
    expect(refused).toMatchObject({ isError: true });
    expect(JSON.stringify(refused.content)).toContain(
      `node ${cliEntry} call delete_document '<arguments as JSON>' --confirm --data-dir ${dataDir}`,
    );
    await client.close();
  });

  it.each(['modern', 'legacy'] as const)('speaks to the official client in its %s mode on stdio', async (era) => {
    const client = await connectStdioClient(dataDir, era);
    expect((await client.listTools()).tools).toHaveLength(toolNames.length);
    const { matched } = await callTool<{ matched: number }>(client, 'search_knowledge_base', { query: '请假 leave' });
    expect(matched).toBeGreaterThan(0);
    await client.close();
  });

  it('serves desktop clients without a server: one owns the data, the other goes through it, and takes its place', async () => {
    const own = await mkdtemp(join(tmpdir(), 'lectern-e2e-stdio-'));
    const owner = await connectStdioClient(own);
    const { knowledgeBase } = await callTool<{ knowledgeBase: { id: string } }>(owner, 'create_knowledge_base', {
      name: 'own',
    });
    const other = await connectStdioClient(own);
    const names = async () => {
      const { items } = await callTool<{ items: { id: string }[] }>(other, 'list_knowledge_bases', {});
      return items.map((item) => item.id);
    };
    expect(await names()).toEqual([knowledgeBase.id]);
    // Killed, not closed: nobody says good-bye.
    process.kill((owner.transport as unknown as { pid: number }).pid, 'SIGKILL');
    expect(await names()).toEqual([knowledgeBase.id]);
    await other.close();
    await owner.close();
    await rm(own, { recursive: true, force: true });
  });

  it('takes a document from upload to cited passage to deletion', async () => {
    const client = await connectClient(url, token);
    const { knowledgeBase } = await callTool<{ knowledgeBase: { id: string } }>(client, 'create_knowledge_base', {
      name: '测试',
    });
    const content = '# 标题\r\n\r\n第一段 🧑‍🚀 first paragraph.\r\n\r\n仙人掌每月浇水一次。\r\n';
    const upload = () =>
      callTool<{ documentId: string; status: string; created: boolean }>(client, 'upload_text_document', {
        knowledgeBaseId: knowledgeBase.id,
        fileName: 'cactus.md',
        content,
      });
    const first = await upload();
    expect(first).toMatchObject({ status: 'ready', created: true });
    expect(await upload()).toMatchObject({ documentId: first.documentId, created: false });
    const { results } = await callTool<{
      results: { content: string; citation: { startOffset: number; endOffset: number } }[];
    }>(client, 'search_knowledge_base', { query: '仙人掌多久浇一次水', knowledgeBaseId: knowledgeBase.id });
    const [best] = results;
    expect(content.slice(best?.citation.startOffset, best?.citation.endOffset)).toBe(best?.content);
    const unconfirmed = await fetch(url, request(token, 'delete_document', { documentId: first.documentId }));
    expect(unconfirmed.status).toBe(403);
    const confirmed = await fetch(
      url,
      request(token, 'delete_document', { documentId: first.documentId }, { 'x-mcp-confirm': token }),
    );
    expect(await confirmed.json()).toMatchObject({ result: { structuredContent: { documentId: first.documentId } } });
    const after = await callTool<{ matched: number }>(client, 'search_knowledge_base', {
      query: '仙人掌',
      knowledgeBaseId: knowledgeBase.id,
    });
    expect(after.matched).toBe(0);
    await client.close();
  });

  it('refuses a second owner of its data and names the way out', async () => {
    const second = startServer(['start', '--port', '0', '--data-dir', dataDir]);
    await expect(second).rejects.toThrow(/runs already/);
  });

  it('leaves no process behind, finds its data again, and survives being killed', async () => {
    const tree = processTree(server.child.pid!).map((one) => one.pid);
    expect(tree.length).toBeGreaterThan(1);
    expect(await server.stop()).toBe(0);
    for (const signal of ['SIGKILL', 'SIGINT'] as const) {
      server = await startServer(['start', '--port', '0', '--data-dir', dataDir]);
      const client = await connectClient(server.urls[0]!, token);
      const { items } = await callTool<{ items: { status: string }[] }>(client, 'list_documents', {});
      expect(items.map((item) => item.status)).toEqual(['ready', 'ready', 'ready', 'ready']);
      await client.close();
      const children = processTree(server.child.pid!).map((one) => one.pid);
      await server.stop(signal);
      await eventually('all processes to end', () => children.every((pid) => processTree(pid).length === 0));
    }
    server = await startServer(['start', '--port', '0', '--data-dir', dataDir]);
  });
});

function request(
  token: string,
  name: string,
  toolArguments: object,
  headers: Record<string, string> = {},
): RequestInit {
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: toolArguments } }),
  };
}
