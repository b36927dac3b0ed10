import { connect } from 'node:net';
import type { Logger } from '@lectern/telemetry';
import { eventually } from '@lectern/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startGateway, toolCall, type GatewayFixture } from './gateway-fixture.js';
import { ids } from './stub-services.js';

const lines: { level: string; words: string; fields: Record<string, unknown> }[] = [];
const at = (level: string) => (fields: Record<string, unknown>, words: string) => lines.push({ level, words, fields });
const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } as unknown as Logger;

let gateway: GatewayFixture;
beforeAll(async () => {
  gateway = await startGateway({}, { logger });
});
afterAll(() => gateway.close());
beforeEach(() => void (lines.length = 0));

const isLogged = (words: string) => () => lines.some((line) => line.words === words);
/** What somebody would have to look into. */
const complaints = () => lines.filter(({ level, fields }) => level === 'warn' || level === 'error' || fields.err);

describe('a client that leaves', () => {
  it('in the middle of its body has failed nothing', async () => {
    const token = await gateway.token('kb:read');
    // A token that is known already lets the body be read at once.
    await gateway.post(toolCall('list_knowledge_bases'), { token });
    const head = [
      'POST /mcp HTTP/1.1',
      'host: localhost',
      `authorization: Bearer ${token}`,
      'content-type: application/json',
      'content-length: 1000',
      'expect: 100-continue',
    ];
    const connection = connect(gateway.service.port, '127.0.0.1');
    connection.write(`${head.join('\r\n')}\r\n\r\n{"jsonrpc":`);
    await new Promise((resolve) => connection.once('data', resolve));
    connection.destroy();
    await eventually('the gateway noticed', isLogged('the client is gone'));
    expect(complaints()).toEqual([]);
  });

  it('while its upload waits has failed nothing', async () => {
    gateway.journal.statuses = ['processing'];
    const args = { knowledgeBaseId: ids.knowledgeBase, fileName: 'a.md', content: 'x' };
    const call = toolCall('upload_text_document', args);
    const body = { ...call, params: { ...call.params, _meta: { progressToken: 'p1' } } };
    const response = await gateway.post(body, { headers: { accept: 'application/json, text/event-stream' } });
    // Progress is told right before the next pause.
    const reader = response.body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toContain('notifications/progress');
    await reader.cancel();
    await eventually('the call ended', isLogged('tool call'));
    expect(complaints()).toEqual([]);
    expect(lines.find(({ words }) => words === 'tool call')?.fields).toMatchObject({ outcome: 'cancelled' });
  });
});
