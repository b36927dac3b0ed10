import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Endpoint } from '../embedded/endpoint-file.js';
import { pump } from './pump.js';

describe('the pump between stdio and HTTP', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  });

  async function openEndpoint(): Promise<Endpoint> {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json').end('{"jsonrpc":"2.0","id":1,"result":{}}');
    });
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'token', pid: process.pid };
  }

  /** What comes back for one request each, sent one after the other. */
  async function ask(times: number, connect: () => Promise<Endpoint>): Promise<string[]> {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const confirmingCommand = (tool: string): string => `confirm ${tool}`;
    const ended = pump({ input, output, connect, log: () => undefined, confirmingCommand });
    const answers: string[] = [];
    for (let index = 0; index < times; index += 1) {
      input.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
      const [answer] = (await once(output, 'data')) as [Buffer];
      answers.push(answer.toString());
    }
    input.end();
    await ended;
    return answers;
  }

  it('looks for the next owner while a killed one is still named', async () => {
    const dead = await openEndpoint();
    await new Promise((resolve) => servers.pop()?.close(resolve));
    const living = await openEndpoint();
    const endpoints = [dead, dead, dead, dead, dead, dead];
    const [answer] = await ask(1, async () => endpoints.pop() ?? living);
    expect(answer).toContain('"result"');
  });

  it('connects anew after an owner that could not start', async () => {
    const living = await openEndpoint();
    let attempts = 0;
    const [first, second] = await ask(2, async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('does not get ready');
      return living;
    });
    expect(first).toContain('does not answer');
    expect(second).toContain('"result"');
  });
});
