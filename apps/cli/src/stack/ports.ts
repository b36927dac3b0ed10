import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Listens for a moment; rejects with the system's own error, such as EADDRINUSE. Resolves to the port. */
async function tryListening(port: number, host: string): Promise<number> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return address.port;
}

/** A port that was free a moment ago. */
export const freePort = (): Promise<number> => tryListening(0, '127.0.0.1');

/** Rejects with EADDRINUSE, EADDRNOTAVAIL or EACCES when a service could not listen on one of the ports. */
export async function assertFree(ports: readonly number[], host: string): Promise<void> {
  for (const port of ports) await tryListening(port, host);
}
