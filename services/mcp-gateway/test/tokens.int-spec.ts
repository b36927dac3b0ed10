import { withAdmin } from '@lectern/database';
import { eventually } from '@lectern/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { modernRequest, startGateway, toolCall, type GatewayFixture } from './gateway-fixture.js';

const fixedToken = 'a-fixed-token-of-the-settings';
let gateway: GatewayFixture;
beforeAll(async () => {
  gateway = await startGateway({ MCP_TOKEN: fixedToken });
});
afterAll(() => gateway.close());

const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const status = async (token: string): Promise<number> => (await gateway.post(listTools, { token })).status;

describe('API tokens', () => {
  it('stand for their tenant, subject and scopes', async () => {
    const tenantId = await gateway.postgres.createTenant();
    const spec = { name: 'ci', subject: 'robot', scopes: ['kb:read'] as const };
    const { token } = await gateway.postgres.issueToken(tenantId, spec);
    await gateway.post(toolCall('list_documents'), { token });
    expect(gateway.journal.requests.at(-1)?.call.caller).toMatchObject({
      tenantId,
      subject: 'robot',
      scopes: ['kb:read'],
    });
  });

  it('die when they expire', async () => {
    const spec = { name: 'old', subject: 'robot', scopes: ['kb:read'] as const, expiresAt: new Date(Date.now() - 1) };
    expect(await status((await gateway.postgres.issueToken(gateway.tenantId, spec)).token)).toBe(401);
  });

  it('die within a moment of their revocation', async () => {
    const { id, token } = await gateway.postgres.issueToken(gateway.tenantId, {
      name: 'leaked',
      subject: 'robot',
      scopes: ['kb:read'],
    });
    expect(await status(token)).toBe(200);
    await withAdmin(gateway.postgres.adminUrl, (connection) =>
      connection.query('UPDATE api_tokens SET revoked_at = now() WHERE id = $1', [id]),
    );
    await eventually('the token is dead', async () => (await status(token)) === 401, 3000);
  });

  it('remember when they were last used', async () => {
    const { id, token } = await gateway.postgres.issueToken(gateway.tenantId, {
      name: 'used',
      subject: 'robot',
      scopes: ['kb:read'],
    });
    await status(token);
    const [row] = await withAdmin(gateway.postgres.adminUrl, (connection) =>
      connection.query<{ last_used_at: Date | null }>('SELECT last_used_at FROM api_tokens WHERE id = $1', [id]),
    );
    expect(row?.last_used_at).toBeInstanceOf(Date);
  });

  it('are found again at once after they were unknown', async () => {
    const tenantId = gateway.tenantId;
    expect(await status('lct_not-yet')).toBe(401);
    expect(
      await status((await gateway.postgres.issueToken(tenantId, { name: 'n', subject: 's', scopes: [] })).token),
    ).toBe(200);
  });
});

/** Every door that asks for a token, in both protocol eras. */
const modernList = modernRequest('tools/list');
const doors: Record<string, (query: string) => { url: string; init: RequestInit }> = {
  'a modern request': (query) => ({ url: `${gateway.url}${query}`, init: posted(modernList.body, modernList.headers) }),
  'a legacy request': (query) => ({ url: `${gateway.url}${query}`, init: posted(listTools) }),
  'the description of the service': (query) => ({ url: `${gateway.url}${query}`, init: {} }),
  'the list of tools': (query) => ({ url: `${gateway.url}/tools${query}`, init: {} }),
};

function posted(body: object, headers: Record<string, string> = {}): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

describe.each(Object.keys(doors))('at the door of %s', (door) => {
  /** Status, headers and body, without what differs from call to call. */
  async function knock(authorization: string | undefined, query = ''): Promise<string> {
    const { url, init } = doors[door]!(query);
    const headers = { ...(init.headers as Record<string, string>), 'x-request-id': 'same' };
    const response = await fetch(url, {
      ...init,
      headers: authorization === undefined ? headers : { ...headers, authorization },
    });
    const shown = [...response.headers].filter(([name]) => name !== 'date');
    return JSON.stringify([response.status, shown, await response.text()]);
  }

  it('an expired, a revoked, a malformed and an overlong token get byte for byte what an unknown one gets', async () => {
    const robot = { name: 'robot', subject: 'robot', scopes: ['kb:admin'] as const };
    const expired = await gateway.postgres.issueToken(gateway.tenantId, { ...robot, expiresAt: new Date(0) });
    const revoked = await gateway.postgres.issueToken(gateway.tenantId, robot);
    await withAdmin(gateway.postgres.adminUrl, (connection) =>
      connection.query('UPDATE api_tokens SET revoked_at = now() WHERE id = $1', [revoked.id]),
    );
    const alive = await gateway.token('kb:admin');
    expect(await knock(`Bearer ${alive}`)).toMatch(/^\[200,/);
    const unknown = await knock(`Bearer ${alive.toUpperCase()}`);
    expect(unknown).toMatch(/^\[401,.*invalid_token/);
    const refused = {
      expired: `Bearer ${expired.token}`,
      revoked: `Bearer ${revoked.token}`,
      cut: `Bearer ${alive.slice(0, -1)}`,
      doubled: `Bearer ${alive}, Bearer ${alive}`,
      'another scheme': `Basic ${alive}`,
      'no scheme': alive,
      'nothing behind the scheme': 'Bearer ',
      'two words': 'Bearer a b',
      quoted: `Bearer "${alive}"`,
      'a longer one': `Bearer ${alive}${'a'.repeat(512)}`,
      'a huge one': `Bearer ${'a'.repeat(12_000)}`,
      'Latin letters with accents': 'Bearer t\u00f6ken',
      'SQL in it': "Bearer ' OR 1=1 --",
    };
    for (const [name, authorization] of Object.entries(refused)) {
      expect([name, await knock(authorization)]).toEqual([name, unknown]);
    }
  });

  it('a token in the query string is no token', async () => {
    const alive = await gateway.token('kb:admin');
    const missing = await knock(undefined);
    expect(missing).toMatch(/^\[401,.*Send Authorization: Bearer with an API token/);
    for (const name of ['access_token', 'token', 'authorization', 'api_key', 'bearer', 'confirm_token']) {
      expect(await knock(undefined, `?${name}=${alive}`)).toBe(missing);
    }
    for (const empty of ['', ' ']) expect(await knock(empty)).toBe(missing);
  });
});

describe('the fixed token', () => {
  it('stands for the default tenant beside the issued ones', async () => {
    expect((await gateway.post(toolCall('list_documents'), { token: fixedToken })).status).toBe(200);
    expect(gateway.journal.requests.at(-1)?.call.caller).toMatchObject({
      tenantId: gateway.tenantId,
      subject: 'fixed-token',
    });
    expect(await status(await gateway.token('kb:read'))).toBe(200);
  });

  it('is compared as a whole', async () => {
    expect(await status(`${fixedToken}x`)).toBe(401);
    expect(await status(fixedToken.slice(0, -1))).toBe(401);
  });
});

describe('a token database that is away', () => {
  it('is answered 503 with a time to wait, not 401', async () => {
    const away = await startGateway();
    try {
      await away.postgres.database('gateway').ping();
      await withAdmin(away.postgres.adminUrl, (connection) => connection.query('DROP FUNCTION find_api_token'));
      const response = await away.post(listTools);
      expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
        503,
        '1',
        expect.objectContaining({ error: 'temporarily_unavailable' }),
      ]);
    } finally {
      await away.close();
    }
  });

  it('is answered 503 when it stands still, before the server would give up by itself', async () => {
    const started = Date.now();
    const response = await withAdmin(gateway.postgres.adminUrl, async (connection) => {
      await connection.query('LOCK TABLE api_tokens IN ACCESS EXCLUSIVE MODE');
      return gateway.post(listTools, { token: 'lct_never-seen' });
    });
    expect(response.status).toBe(503);
    expect(Date.now() - started).toBeLessThan(12_000);
    expect(await status(await gateway.token('kb:read'))).toBe(200);
  });
});
