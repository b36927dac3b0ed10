import { realpath } from 'node:fs/promises';
import type { EmbeddedConfig } from '../embedded/config.js';
import { startEmbedded, type EmbeddedServer } from '../embedded/embedded-server.js';
import { readEndpoint, type Endpoint } from '../embedded/endpoint-file.js';
import { pump } from '../stdio/pump.js';

/**
 * Speaks MCP on stdio: for the process that owns the data folder, or as the owner when there is none. When the owner
 * goes away the next one takes its place, so that the client notices nothing.
 */
export async function stdioCommand(config: EmbeddedConfig): Promise<number> {
  let own: EmbeddedServer | undefined;
  const connect = async (): Promise<Endpoint> => {
    own ??= await startEmbedded({ ...config, PORT: 0 });
    return own?.endpoint ?? (await runningOwner(config.LECTERN_DATA_DIR));
  };
  const log = (text: string): void => void process.stderr.write(`lectern stdio: ${text}\n`);
  // The client waits for an answer anyway; opening now makes its first one quick.
  const first = connect();
  first.catch((error: unknown) => log(error instanceof Error ? error.message : String(error)));
  let used = false;
  const once = (): Promise<Endpoint> => {
    if (used) return connect();
    used = true;
    return first;
  };
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await Promise.race([pump({ input: process.stdin, output: process.stdout, connect: once, log }), ended]);
  await own?.close();
  return 0;
}

/** The owner writes its endpoint when it is ready, which takes it a moment. */
async function runningOwner(dataDir: string): Promise<Endpoint> {
  const folder = await realpath(dataDir);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const endpoint = await readEndpoint(folder);
    if (endpoint && isAlive(endpoint.pid)) return endpoint;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`another process owns ${dataDir} and does not get ready`);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
