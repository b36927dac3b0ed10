import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A network link to a server, which can be slow, and can go dead without anybody being told. */
export interface Link {
  /** The server's URL by way of the link. */
  readonly url: string;
  /** Milliseconds that answers take on their way from now on. */
  delayAnswers(milliseconds: number): void;
  /** Swallows everything on the connections of now, and closes none of them; new ones work. */
  silence(): void;
  /** Breaks the connections of now; new ones work. */
  cut(): void;
  close(): Promise<void>;
}

/** Opens a link to the server at a URL. */
export async function openLink(url: string): Promise<Link> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  let answerDelayMs = 0;

  const pass = (from: Socket, to: Socket, delayMs: () => number): void => {
    from.on('error', () => undefined);
    from.on('data', (bytes) => {
      setTimeout(() => {
        if (!silent.has(from) && to.writable) to.write(bytes);
      }, delayMs());
    });
    from.on('close', () => {
      sockets.delete(from);
      if (!silent.has(from)) to.destroy();
    });
    sockets.add(from);
  };
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    pass(near, far, () => 0);
    pass(far, near, () => answerDelayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const near = new URL(url);
  near.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: near.href,
    delayAnswers(milliseconds) {
      answerDelayMs = milliseconds;
    },
    silence() {
      for (const socket of sockets) silent.add(socket);
    },
    cut,
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
