import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { AppModule } from '../src/app.module.js';
import { startGateway, toolCall, type GatewayFixture } from './gateway-fixture.js';

let gateway: GatewayFixture;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** fetch sets Host itself, so this one is sent by hand. */
function statusWithHost(host: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(`${gateway.origin}${path}`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

async function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.origin}${path}`, { headers });
}

describe('authentication', () => {
  it('asks for a credential without calling a missing one invalid', async () => {
    const response = await fetch(gateway.url, { method: 'POST', body: '{}' });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="lectern"');
    expect(await response.json()).toEqual({
      error: 'unauthorized',
      error_description: expect.any(String),
      requestId: response.headers.get('x-request-id'),
    });
  });

  it('guards every method and the list of tools', async () => {
    expect((await get('/mcp')).status).toBe(401);
    expect((await get('/mcp/tools')).status).toBe(401);
    expect((await fetch(gateway.url, { method: 'DELETE' })).status).toBe(401);
  });
});

describe('host and origin', () => {
  it('answers 421 to a foreign Host, on probes excepted', async () => {
    expect(await statusWithHost('evil.example', '/mcp')).toBe(421);
    expect(await statusWithHost('evil.example', '/anything')).toBe(421);
    expect(await statusWithHost('10.1.2.3:8080', '/livez')).toBe(200);
    expect(await statusWithHost('localhost:1', '/mcp')).toBe(401);
  });

  it('lets an allowed page call and tells it so beforehand', async () => {
    const origin = 'http://localhost:6274';
    const preflight = await fetch(gateway.url, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('X-MCP-Confirm');
    const response = await gateway.post(listTools, { headers: { origin } });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
  });
});

describe('GET', () => {
  it('tells a client that wants the stream of older protocols that there is none', async () => {
    const authorization = `Bearer ${await gateway.token('kb:read')}`;
    const response = await get('/mcp', { authorization, accept: 'text/event-stream' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('describes the service and its tools', async () => {
    const authorization = `Bearer ${await gateway.token('kb:read')}`;
    const service = (await (await get('/mcp', { authorization })).json()) as Record<string, unknown>;
    expect(service).toMatchObject({ name: 'lectern', transport: 'http', jsonrpc: '2.0', toolCount: 9 });
    const listed = (await (await get('/mcp/tools', { authorization })).json()) as { tools: unknown[] };
    const overMcp = (await (await gateway.post(listTools)).json()) as { result: { tools: unknown[] } };
    expect(listed.tools).toEqual(overMcp.result.tools);
  });

  it('answers probes without a credential', async () => {
    for (const path of ['/livez', '/readyz', '/healthz', '/metrics']) expect((await get(path)).status).toBe(200);
    expect(await (await get('/healthz')).json()).toMatchObject({ status: 'ok', version: expect.any(String) });
  });

  it.each(['/', '/nowhere', '/mcp/nowhere', '/livez/nowhere', '/%E0%A4%A'])(
    'says at %s where the endpoint is',
    async (path) => {
      const response = await get(path);
      expect([response.status, await response.json()]).toEqual([
        404,
        {
          error: 'not_found',
          error_description: expect.stringMatching(/ \/mcp\.$/),
          requestId: response.headers.get('x-request-id'),
        },
      ]);
    },
  );

  it('takes the endpoint with a slash at its end', async () => {
    const authorization = `Bearer ${await gateway.token('kb:read')}`;
    expect((await get('/mcp/', { authorization })).status).toBe(200);
    expect((await get('/mcp/tools/', { authorization })).status).toBe(200);
    expect((await get('/mcp/')).status).toBe(401);
  });
});

describe('routes', () => {
  it('take no id; one that does has to join those that e2e/scenarios/isolation asks for foreign ids', () => {
    const { controllers = [] } = AppModule.register({ metrics: gateway.metrics, isReady: async () => true });
    const paths = controllers.flatMap(({ prototype }) =>
      Object.getOwnPropertyNames(prototype).map((name) => Reflect.getMetadata('path', prototype[name]) as unknown),
    );
    const served = paths.filter((path) => path !== undefined);
    expect(served).toEqual(expect.arrayContaining(['livez', 'metrics']));
    for (const path of served) expect(path).not.toMatch(/[:*{]/);
  });
});

describe('bodies', () => {
  it.each([
    ['an empty batch', '[]', 400, -32_600],
    ['a bare number', '7', 400, undefined],
  ])('refuses %s', async (_, body, status, code) => {
    const response = await gateway.post(body);
    expect(response.status).toBe(status);
    if (code) expect(await response.json()).toMatchObject({ error: { code } });
  });

  it('refuses bytes that are not UTF-8, as of GBK, instead of storing them garbled', async () => {
    const call = JSON.stringify(toolCall('search_knowledge_base', { query: '#' }));
    const [start, end] = call.split('#') as [string, string];
    const gbk = Buffer.from('d6d0cec4', 'hex');
    const response = await gateway.post(Buffer.concat([Buffer.from(start), gbk, Buffer.from(end)]));
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({
        error: expect.objectContaining({ code: -32_700, message: expect.stringMatching(/Convert .* to UTF-8/) }),
      }),
    ]);
    expect(gateway.journal.last('search_chunks')).toBeUndefined();
  });

  it('refuses a body that turns out to be oversized', async () => {
    const large = await gateway.post(JSON.stringify({ ...listTools, params: { filler: 'x'.repeat(5 << 20) } }));
    expect([large.status, await large.json()]).toEqual([413, expect.objectContaining({ jsonrpc: '2.0' })]);
  });

  it('serves PUT and DELETE to nobody', async () => {
    const authorization = `Bearer ${await gateway.token('kb:read')}`;
    const response = await fetch(gateway.url, { method: 'DELETE', headers: { authorization } });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST']);
  });
});

describe('request id', () => {
  it('keeps a harmless one and replaces any other', async () => {
    const kept = await gateway.post(listTools, { headers: { 'x-request-id': 'abc-1' } });
    expect(kept.headers.get('x-request-id')).toBe('abc-1');
    const replaced = await gateway.post(listTools, { headers: { 'x-request-id': 'a b"' } });
    expect(replaced.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('follows the call to the services and into errors', async () => {
    const response = await gateway.post(toolCall('get_document_content', { document_id: crypto.randomUUID() }), {
      headers: { 'x-request-id': 'trace-me' },
    });
    const { result } = (await response.json()) as { result: { isError: boolean; content: { text: string }[] } };
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toBe(
      'There is no such document. list_documents shows what there is. (request trace-me)',
    );
    expect(gateway.journal.requests.at(-1)?.call.caller.requestId).toBe('trace-me');
  });
});

describe('scopes', () => {
  it('lists a tool whose scope is missing and answers its call with a challenge, in both eras and in batches', async () => {
    const token = await gateway.token('kb:read');
    const listed = (await (await gateway.post(listTools, { token })).json()) as {
      result: { tools: { name: string }[] };
    };
    expect(listed.result.tools.map((tool) => tool.name)).toContain('create_knowledge_base');
    const call = toolCall('create_knowledge_base', { name: 'x' });
    for (const body of [call, [listTools, { ...call, id: 2 }]]) {
      const response = await gateway.post(body, { token });
      expect([response.status, await response.json()]).toEqual([
        403,
        expect.objectContaining({ error: 'insufficient_scope' }),
      ]);
      expect(response.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
      expect(response.headers.get('www-authenticate')).toContain('scope="kb:write"');
    }
    expect(gateway.journal.last('create_knowledge_base')).toBeUndefined();
  });

  it('lets an admin scope stand for its family', async () => {
    const token = await gateway.token('kb:admin');
    expect((await gateway.post(toolCall('create_knowledge_base', { name: 'x' }), { token })).status).toBe(200);
  });

  it('reads no resource for a caller of another family', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'kb://documents' } };
    const response = await gateway.post(body, { token: await gateway.token('memories:read') });
    expect(response.status).toBe(403);
  });
});
