import { scopes, type Scope } from '@lectern/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isEnabled, type AccessMode } from '../src/tools/access.js';
import { catalog } from '../src/tools/catalog/index.js';
import { modernRequest, modernToolCall, startGateway, toolCall, type GatewayFixture } from './gateway-fixture.js';

type Sent = { body: unknown; headers?: Record<string, string> };
type Named = { name: string };

const call: Record<string, (name: string) => Sent> = {
  modern: (name) => modernToolCall(name),
  legacy: (name) => ({ body: toolCall(name), headers: { accept: 'application/json, text/event-stream' } }),
  'plain JSON': (name) => ({ body: toolCall(name) }),
};

/** All that does not allow a tool: other scopes of its family among them. */
const without = (tool: { scope: Scope }): Scope[] =>
  scopes.filter((scope) => scope !== tool.scope && scope !== `${tool.scope.split(':')[0]}:admin`);

/** Status, headers and body, without what differs from call to call. */
async function wire(gateway: GatewayFixture, { body, headers }: Sent, token: string): Promise<string> {
  const response = await gateway.post(body, { token, headers: { ...headers, 'x-request-id': 'same' } });
  const shown = [...response.headers].filter(([name]) => name !== 'date' && name !== 'content-length');
  return JSON.stringify([response.status, shown, await response.text()]);
}

/** Names of tools in every list that there is. */
async function listed(gateway: GatewayFixture, token: string): Promise<Record<string, string[]>> {
  const modern = modernRequest('tools/list');
  const lists: Record<string, Promise<Response>> = {
    'the modern list': gateway.post(modern.body, { token, headers: modern.headers }),
    'the legacy list': gateway.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { token }),
    'the list over HTTP': fetch(`${gateway.url}/tools`, { headers: { authorization: `Bearer ${token}` } }),
  };
  const read = async ([name, answer]: [string, Promise<Response>]): Promise<[string, string[]]> => {
    const body = (await (await answer).json()) as { tools?: Named[]; result?: { tools: Named[] } };
    return [name, (body.result?.tools ?? body.tools ?? []).map((tool) => tool.name)];
  };
  return Object.fromEntries(await Promise.all(Object.entries(lists).map(read)));
}

describe('a token without the scope of a tool', () => {
  let gateway: GatewayFixture;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  describe.each(catalog.map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
    it.each(Object.keys(call))('gets a challenge for it in a %s call, with which scopes whatsoever', async (kind) => {
      const asked = gateway.journal.requests.length;
      const { body, headers = {} } = call[kind]!(name);
      for (const held of [[], without(tool)]) {
        const token = await gateway.token(...held);
        // A confirmation must not open what a scope closes.
        const response = await gateway.post(body, { token, headers: { ...headers, 'x-mcp-confirm': token } });
        expect([response.status, await response.json()]).toEqual([
          403,
          {
            error: 'insufficient_scope',
            error_description: `${name} needs the scope ${tool.scope}.`,
            requestId: response.headers.get('x-request-id'),
          },
        ]);
        expect(response.headers.get('www-authenticate')).toBe(
          `Bearer realm="lectern", error="insufficient_scope", ` +
            `error_description="${name} needs the scope ${tool.scope}.", scope="${tool.scope}"`,
        );
      }
      expect(gateway.journal.requests).toHaveLength(asked);
    });
  });

  it('sees every tool in the lists, as what it may ask the scope for', async () => {
    const names = catalog.map((tool) => tool.name);
    for (const list of Object.values(await listed(gateway, await gateway.token()))) expect(list).toEqual(names);
  });
});

/** Modes that hide tools; between them they hide every one. */
const modes: AccessMode[] = [
  { toolsets: ['memory'], readOnly: false },
  { toolsets: ['kb'], readOnly: false },
  { toolsets: ['all'], readOnly: true },
];
const hiddenBy = (mode: AccessMode): string[] =>
  catalog.filter((tool) => !isEnabled(tool, mode)).map((tool) => tool.name);

describe.each(modes)('tools hidden by %j', (mode) => {
  const hidden = hiddenBy(mode);
  let gateway: GatewayFixture;
  let tokens: string[];
  beforeAll(async () => {
    gateway = await startGateway({ MCP_TOOLSETS: mode.toolsets.join(), MCP_READ_ONLY: String(mode.readOnly) });
    tokens = [await gateway.token('kb:admin'), await gateway.token()];
  });
  afterAll(() => gateway.close());

  it('are in no list, whatever the token allows', async () => {
    const shown = catalog.map((tool) => tool.name).filter((name) => !hidden.includes(name));
    for (const token of tokens) {
      for (const list of Object.values(await listed(gateway, token))) expect(list).toEqual(shown);
    }
  });

  it.each(Object.keys(call))('are answered in a %s call byte for byte as unknown ones', async (kind) => {
    for (const token of tokens) {
      const unknown = await wire(gateway, call[kind]!('no_such_tool'), token);
      expect(unknown).toContain('no_such_tool not found');
      for (const name of hidden) {
        const answer = await wire(gateway, call[kind]!(name), token);
        expect(answer.replaceAll(name, 'no_such_tool')).toBe(unknown);
      }
    }
    expect(gateway.journal.requests).toEqual([]);
  });
});

it('hides every tool of the catalogue in one of these modes', () => {
  expect(new Set(modes.flatMap(hiddenBy))).toEqual(new Set(catalog.map((tool) => tool.name)));
});
