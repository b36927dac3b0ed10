import { withAdmin } from '@lectern/database';
import { eventually } from '@lectern/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestStack, type TestStack } from '../support/stack.js';

const revision = '2026-07-28';
const list = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_documents', arguments: {} } };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const eras: [string, object, Record<string, string>][] = [
  ['legacy', list, { accept: 'application/json, text/event-stream' }],
  [
    'modern',
    { ...list, params: { ...list.params, _meta: envelope } },
    { 'mcp-protocol-version': revision, 'mcp-method': 'tools/call', 'mcp-name': 'list_documents' },
  ],
];

describe('a statement that waits for a lock', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startTestStack({ environment: { MCP_REQUEST_TIMEOUT_SECONDS: '4' } });
  });
  afterAll(() => stack.close());

  function post(body: object, headers: Record<string, string>, signal?: AbortSignal): Promise<Response> {
    const { urls, token } = stack.server;
    return fetch(urls[0]!, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      ...(signal ? { signal } : {}),
    });
  }

  /** Statements of retrieval that can't go on. */
  async function waiting(): Promise<number> {
    const rows = await withAdmin(stack.postgres.adminUrl, (transaction) =>
      transaction.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ 'FROM documents'",
      ),
    );
    return rows.length;
  }

  /** Runs work while nobody else can read documents. */
  function whileLocked(work: () => Promise<void>): Promise<void> {
    return withAdmin(stack.postgres.adminUrl, async (transaction) => {
      await transaction.query('LOCK TABLE documents IN ACCESS EXCLUSIVE MODE');
      await work();
    });
  }

  it.each(eras)('stops in the database when its %s client hangs up', async (_, body, headers) => {
    await whileLocked(async () => {
      const gone = new AbortController();
      const response = post(body, headers, gone.signal);
      await eventually('the statement waits', async () => (await waiting()) === 1);
      gone.abort();
      await expect(response).rejects.toThrow();
      // Before the request's own time is up, which would stop it as well.
      await eventually('the statement stops', async () => (await waiting()) === 0, 2000);
    });
    expect((await post(body, headers)).status).toBe(200);
  });

  it.each(eras)('stops in the database when the time of a %s request is up', async (_, body, headers) => {
    await whileLocked(async () => {
      const response = post(body, headers);
      await eventually('the statement waits', async () => (await waiting()) === 1);
      expect((await response).status).toBe(504);
      await eventually('the statement stops', async () => (await waiting()) === 0);
    });
    expect((await post(body, headers)).status).toBe(200);
  });
});
