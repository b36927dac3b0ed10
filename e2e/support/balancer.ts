import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What stands in front of several gateways in a deployment. */
export interface Balancer {
  /** In place of a gateway's origin. */
  readonly origin: string;
  /** How many replicas it sends requests to at the moment. */
  readonly targets: number;
  close(): Promise<void>;
}

const probeEveryMs = 200;

/**
 * Sends requests in turn to the replicas whose /readyz says yes, over connections that it keeps. It tries the next one
 * where a connection is refused, for then nothing was sent, and never repeats a request otherwise.
 */
export async function startBalancer(origins: readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  let ready: string[] = [];
  let turn = 0;
  const probe = async (): Promise<void> => {
    const answers = await Promise.all(origins.map((origin) => fetch(`${origin}/readyz`).catch(() => undefined)));
    ready = origins.filter((_, index) => answers[index]?.ok);
  };
  await probe();
  const timer = setInterval(() => void probe(), probeEveryMs);
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      turn += 1;
      const targets = ready.map((_, index) => ready[(turn + index) % ready.length]!);
      forward({ agent, incoming, body: Buffer.concat(parts) }, targets, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get targets() {
      return ready.length;
    },
    async close() {
      clearInterval(timer);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Forwarded {
  agent: Agent;
  incoming: IncomingMessage;
  body: Buffer;
}

function forward(forwarded: Forwarded, [target, ...others]: string[], response: ServerResponse): void {
  const { agent, incoming, body } = forwarded;
  if (target === undefined) return void response.writeHead(503).end('no replica is ready');
  const { method, headers } = incoming;
  const upstream = request(new URL(incoming.url ?? '/', target), { agent, method, headers });
  upstream.on('response', (answer) => {
    response.writeHead(answer.statusCode!, withoutConnection(answer.headers));
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  upstream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED') forward(forwarded, others, response);
    else if (response.headersSent) response.destroy();
    else response.writeHead(502).end(`the replica broke off: ${error.code}`);
  });
  response.on('close', () => upstream.destroy());
  upstream.end(body);
}

/** The connection to a replica is none of the client's business. */
function withoutConnection(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const kept = Object.entries(headers).filter(([name]) => name !== 'connection' && name !== 'keep-alive');
  return Object.fromEntries(kept);
}
