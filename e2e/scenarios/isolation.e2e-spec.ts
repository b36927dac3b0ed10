import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callTool, connectClient } from '../support/client.js';
import type { ServerProcess } from '../support/server-process.js';
import { startTestStack, type TestStack } from '../support/stack.js';

const unknown = '01890000-0000-7000-8000-00000000abcd';

/** Values for arguments that are no ids, so that a call gets as far as the ids. */
const plausible: Record<string, unknown> = {
  query: '备份 backup',
  name: 'a name',
  fileName: 'a.txt',
  content: 'some text',
};

interface ListedTool {
  name: string;
  inputSchema: { properties?: Record<string, unknown>; required?: string[] };
}

describe('another tenant', () => {
  let stack: TestStack;
  let server: ServerProcess;
  let stranger: string;
  let ids: string[];

  beforeAll(async () => {
    stack = await startTestStack();
    server = stack.server;
    const tenantId = await stack.postgres.createTenant();
    const issued = await stack.postgres.issueToken(tenantId, { name: 'b', subject: 'b', scopes: ['kb:admin'] });
    stranger = issued.token;
    const client = await connectClient(server.urls[0]!, server.token);
    const { knowledgeBase } = await callTool<{ knowledgeBase: { id: string } }>(client, 'create_knowledge_base', {
      name: 'secret plans',
    });
    const uploaded = await callTool<{ documentId: string; jobId: string; status: string }>(
      client,
      'upload_text_document',
      {
        knowledgeBaseId: knowledgeBase.id,
        fileName: 'secret.md',
        content: '# 备份 backup\n\nThe secret is in the third drawer.',
      },
    );
    expect(uploaded.status).toBe('ready');
    ids = [knowledgeBase.id, uploaded.documentId, uploaded.jobId];
    await client.close();
  });
  afterAll(() => stack.close());

  /** Status and body of a request as the stranger, without what differs from call to call. */
  async function ask(method: string, params: object): Promise<string> {
    const response = await fetch(server.urls[0]!, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        authorization: `Bearer ${stranger}`,
        'x-mcp-confirm': stranger,
        'x-request-id': 'the-same-for-all',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return `${response.status} ${await response.text()}`;
  }

  async function listedTools(): Promise<ListedTool[]> {
    const client = await connectClient(server.urls[0]!, stranger);
    const { tools } = (await client.listTools()) as { tools: ListedTool[] };
    await client.close();
    return tools;
  }

  it('gets for a foreign id, in every argument of every tool, what it gets for an unknown one', async () => {
    let compared = 0;
    for (const tool of await listedTools()) {
      const names = Object.keys(tool.inputSchema.properties ?? {});
      const others = Object.fromEntries(
        (tool.inputSchema.required ?? []).flatMap((name) => (name in plausible ? [[name, plausible[name]]] : [])),
      );
      for (const argument of names.filter((name) => /id$/i.test(name))) {
        const required = (tool.inputSchema.required ?? []).filter((name) => /id$/i.test(name) && name !== argument);
        for (const id of ids) {
          const call = (value: string) =>
            ask('tools/call', {
              name: tool.name,
              arguments: { ...others, ...Object.fromEntries(required.map((name) => [name, value])), [argument]: value },
            });
          const [foreign, none] = [await call(id), await call(unknown)];
          expect(foreign.replaceAll(id, '…')).toBe(none.replaceAll(unknown, '…'));
          expect(foreign).toContain('isError');
          compared += 1;
        }
      }
    }
    expect(compared).toBeGreaterThanOrEqual(18);
  });

  it('gets for a foreign resource what it gets for an unknown one', async () => {
    for (const id of ids) {
      const read = (value: string) => ask('resources/read', { uri: `kb://documents/${value}` });
      expect((await read(id)).replaceAll(id, '…')).toBe((await read(unknown)).replaceAll(unknown, '…'));
    }
  });

  it('sees nothing of it in any list or search', async () => {
    const answers = [
      await ask('tools/call', { name: 'list_documents', arguments: {} }),
      await ask('tools/call', { name: 'list_knowledge_bases', arguments: {} }),
      await ask('tools/call', { name: 'search_knowledge_base', arguments: { query: 'backup 备份' } }),
      await ask('resources/read', { uri: 'kb://documents' }),
    ];
    for (const answer of answers) {
      expect(answer).toMatch(/^200 /);
      expect(answer).not.toMatch(/drawer|secret\.md|secret plans/);
    }
  });
});
