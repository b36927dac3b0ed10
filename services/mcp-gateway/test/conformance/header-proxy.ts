import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HeaderProxy {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Passes everything on to a server and adds a header, for clients that can't send it themselves. The Host that the client
 * sent stays as it is, since the server judges it.
 */
export async function startHeaderProxy(target: string, headers: Record<string, string>): Promise<HeaderProxy> {
  const { hostname, port, pathname } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const passed = request({
      ...{ hostname, port, path: incoming.url, method: incoming.method },
      headers: { ...incoming.headers, ...headers },
    });
    passed.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
