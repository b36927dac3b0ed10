import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { withAdmin } from '@lectern/database';
import { eventually } from '@lectern/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  lastEvent,
  modernRequest,
  modernToolCall,
  startGateway,
  toolCall,
  type GatewayFixture,
} from './gateway-fixture.js';
import { ids, untilAborted } from './stub-services.js';

let gateway: GatewayFixture;
beforeAll(async () => {
  gateway = await startGateway({ MCP_REQUEST_TIMEOUT_SECONDS: '1' });
});
afterAll(() => gateway.close());

const aborted: string[] = [];
const stream = { accept: 'application/json, text/event-stream' };
const slow = modernToolCall('list_documents');

beforeEach(() => {
  aborted.length = 0;
  gateway.journal.before = async (operation, call) => {
    if (operation !== 'list_documents') return;
    await untilAborted(call).catch((error: unknown) => {
      aborted.push(operation);
      throw error;
    });
  };
});

describe('a request past its deadline', () => {
  it.each([
    ['modern', slow.body, slow.headers],
    ['legacy', toolCall('list_documents'), stream],
    ['plain JSON', toolCall('list_documents'), {}],
  ])('is answered 504 in a %s exchange, and the service is told to stop', async (_, body, headers) => {
    const response = await gateway.post(body, { headers: headers as Record<string, string> });
    expect([response.status, await response.json()]).toEqual([
      504,
      {
        jsonrpc: '2.0',
        id: 1,
        error: {
          code: -32_001,
          message: expect.any(String),
          data: { requestId: response.headers.get('x-request-id') },
        },
      },
    ]);
    await eventually('the service stopped', () => aborted.length === 1);
  });

  it('is answered by an error in a stream that has begun, for the open requests alone', async () => {
    const batch = [toolCall('list_knowledge_bases', {}, 'quick'), toolCall('list_documents', {}, 'slow')];
    const response = await gateway.post(batch, { headers: stream });
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain('"id":"quick"');
    expect(text).not.toMatch(/"error".*"id":"quick"/);
    expect(lastEvent(text)).toMatchObject({ id: 'slow', error: { code: -32_001 } });
  });
});

describe('a request whose token can not be looked up in time', () => {
  it.each(['POST', 'GET'])('is answered 503 at its deadline when it is a %s', async (method) => {
    const authorization = `Bearer ${await gateway.token('kb:read')}`;
    await withAdmin(gateway.postgres.adminUrl, async (transaction) => {
      await transaction.query('LOCK TABLE api_tokens IN ACCESS EXCLUSIVE MODE');
      const sent = Date.now();
      const response = await fetch(gateway.url, { method, headers: { authorization } });
      expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
        503,
        '1',
        {
          error: 'temporarily_unavailable',
          error_description: expect.any(String),
          requestId: response.headers.get('x-request-id'),
        },
      ]);
      // The statement itself would be given up after fifteen seconds.
      expect(Date.now() - sent).toBeLessThan(8000);
    });
  });
});

describe('a request whose body does not arrive in time', () => {
  it('is answered 504, and its connection ends', async () => {
    const head = [
      'POST /mcp HTTP/1.1',
      'host: localhost',
      `authorization: Bearer ${await gateway.token('kb:read')}`,
      'content-type: application/json',
      'content-length: 1000',
    ];
    const connection = connect(gateway.service.port, '127.0.0.1');
    connection.write(`${head.join('\r\n')}\r\n\r\n{"jsonrpc":`);
    const answer = await readText(connection);
    expect(answer).toMatch(/^HTTP\/1\.1 504 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32_001,
        message: expect.stringContaining('did not arrive in time'),
        data: { requestId: expect.any(String) },
      },
    });
  });
});

describe('upload_text_document', () => {
  it('answers the job when the document takes longer than the request may', async () => {
    const longer = await startGateway({ MCP_REQUEST_TIMEOUT_SECONDS: '3' });
    try {
      longer.journal.statuses = ['processing'];
      const args = { knowledgeBaseId: ids.knowledgeBase, fileName: 'a.md', content: 'x' };
      const response = await longer.post(toolCall('upload_text_document', args));
      const { result } = (await response.json()) as { result: { structuredContent: unknown; content: unknown } };
      expect(result.structuredContent).toMatchObject({ status: 'processing', stage: 'embed', jobId: ids.job });
      expect(JSON.stringify(result.content)).toContain(`get_ingestion_status with jobId ${ids.job}`);
    } finally {
      await longer.close();
    }
  });

  it('answers what was stored although its progress can not be seen', async () => {
    gateway.journal.before = async (operation) => {
      if (operation === 'get_ingestion_status') throw new Error('retrieval is broken');
    };
    const args = { knowledgeBaseId: ids.knowledgeBase, fileName: 'a.md', content: 'x' };
    const response = await gateway.post(toolCall('upload_text_document', args));
    const { result } = (await response.json()) as { result: Record<string, unknown> };
    expect(result.structuredContent).toMatchObject({ status: 'queued', documentId: ids.document });
  });
});

describe('a subscription', () => {
  it('ends at once, since nothing here changes while a client waits', async () => {
    const { headers, body } = modernRequest('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const response = await gateway.post(body, { headers });
    expect(response.status).toBe(200);
    expect(lastEvent(await response.text())).toMatchObject({ id: 1, result: { resultType: 'complete' } });
  });
});

describe('close', () => {
  it('says that it is not ready before it stops to listen', async () => {
    const closing = await startGateway({ SHUTDOWN_DELAY_MS: '1500' });
    const closed = closing.service.close();
    expect((await fetch(`${closing.origin}/readyz`)).status).toBe(503);
    const response = await closing.post(toolCall('list_documents'));
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
    await closed;
    await expect(fetch(closing.url)).rejects.toThrow();
    await closing.close();
  });

  it('lets a running request end and takes no new one', async () => {
    const closing = await startGateway();
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const token = await closing.token('kb:admin');
    await client.connect(
      new StreamableHTTPClientTransport(new URL(closing.url), { authProvider: { token: async () => token } }),
    );
    let release = (): void => undefined;
    closing.journal.before = () => new Promise((resolve) => (release = resolve));
    const running = client.callTool({ name: 'list_documents', arguments: {} });
    await eventually('the service was asked', () => closing.journal.requests.length === 1);
    const closed = closing.service.close();
    release();
    expect((await running).isError ?? false).toBe(false);
    await closed;
    await expect(fetch(closing.url)).rejects.toThrow();
    await closing.close();
  });
});
