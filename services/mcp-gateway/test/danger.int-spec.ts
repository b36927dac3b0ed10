import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { modernToolCall, startGateway, toolCall, type GatewayFixture } from './gateway-fixture.js';
import { ids } from './stub-services.js';

let gateway: GatewayFixture;
let token: string;
beforeAll(async () => {
  gateway = await startGateway();
  token = await gateway.token('kb:admin');
});
afterAll(() => gateway.close());
beforeEach(() => void (gateway.journal.requests.length = 0));

const args = { documentId: ids.document };
const modern = modernToolCall('delete_document', args);
const bodies: [string, unknown, Record<string, string>][] = [
  ['a modern request', modern.body, modern.headers],
  ['a legacy request', toolCall('delete_document', args), { accept: 'application/json, text/event-stream' }],
  ['a plain JSON request', toolCall('delete_document', args), {}],
  ['a legacy batch', [toolCall('list_documents', {}, 1), toolCall('delete_document', args, 2)], {}],
];

describe.each(bodies)('delete_document in %s', (_, body, headers) => {
  it.each([
    ['without a confirmation', {}, ''],
    ['with another value', { 'x-mcp-confirm': 'yes' }, ''],
    ['with the scheme in front', { 'x-mcp-confirm': 'Bearer x' }, ''],
    ['with another value in the query', {}, '?confirm_token=yes'],
  ])('is refused %s before anything runs', async (__, confirmation, query) => {
    const response = await gateway.post(body, { token, headers: { ...headers, ...confirmation }, query });
    expect([response.status, await response.json()]).toEqual([
      403,
      {
        error: 'danger_confirmation_required',
        error_description: expect.stringContaining('X-MCP-Confirm'),
        requestId: response.headers.get('x-request-id'),
      },
    ]);
    expect(gateway.journal.requests).toEqual([]);
  });

  it('is refused with a credential of somebody else', async () => {
    const other = await gateway.token('kb:admin');
    const response = await gateway.post(body, { token, headers: { ...headers, 'x-mcp-confirm': other } });
    expect(response.status).toBe(403);
  });

  it('runs with the credential in the header', async () => {
    const response = await gateway.post(body, { token, headers: { ...headers, 'x-mcp-confirm': token } });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Deleted document')]);
    expect(gateway.journal.last('delete_document')).toEqual({ documentId: ids.document });
  });

  it('runs with the credential in the query', async () => {
    const response = await gateway.post(body, { token, headers, query: `?confirm_token=${token}` });
    expect(response.status).toBe(200);
  });

  it('asks for the scope first', async () => {
    const reader = await gateway.token('kb:read', 'kb:write');
    const response = await gateway.post(body, { token: reader, headers: { ...headers, 'x-mcp-confirm': reader } });
    expect([response.status, await response.json()]).toEqual([
      403,
      expect.objectContaining({ error: 'insufficient_scope' }),
    ]);
  });
});

describe('a forged name', () => {
  it('in the header does not get a danger tool past its confirmation', async () => {
    const headers = { ...modern.headers, 'mcp-name': 'list_documents' };
    const response = await gateway.post(modern.body, { token, headers });
    expect(response.status).toBe(403);
  });
});

describe('read-only mode and toolsets', () => {
  it('answer hidden tools as unknown ones, without a word on confirmation or scope', async () => {
    const readOnly = await startGateway({ MCP_READ_ONLY: 'true', MCP_TOOLSETS: 'kb' });
    try {
      const nothing = await readOnly.token();
      for (const name of ['delete_document', 'create_knowledge_base', 'list_knowledge_bases']) {
        const response = await readOnly.post(toolCall(name, args), { token: nothing });
        expect([response.status, await response.json()]).toEqual([
          200,
          { jsonrpc: '2.0', id: 1, error: { code: -32_602, message: `Tool ${name} not found` } },
        ]);
      }
      const listed = await readOnly.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      const { result } = (await listed.json()) as { result: { tools: { name: string }[] } };
      expect(result.tools.map((tool) => tool.name)).toEqual([
        'search_knowledge_base',
        'list_documents',
        'get_document_content',
      ]);
    } finally {
      await readOnly.close();
    }
  });
});
