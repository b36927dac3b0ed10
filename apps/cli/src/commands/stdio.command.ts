import { realpath } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLine } from '../command-line.js';
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
  const leaving = new AbortController();
  const { signal } = leaving;
  const connect = async (): Promise<Endpoint> => {
    own ??= await startEmbedded({ ...config, PORT: 0 }, signal);
    return own?.endpoint ?? (await runningOwner(config.LECTERN_DATA_DIR, signal));
  };
  const log = (text: string): void => void process.stderr.write(`lectern stdio: ${text}\n`);
  // The client waits for an answer anyway; opening now makes its first one quick.
  let latest = connect();
  latest.catch((error: unknown) => {
    if (error !== signal.reason) log(error instanceof Error ? error.message : String(error));
  });
  let used = false;
  const once = (): Promise<Endpoint> => {
    if (used) latest = connect();
    used = true;
    return latest;
  };
  const ended = new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve());
  });
  const confirmingCommand = (tool: string): string =>
    commandLine(`call ${tool} '<arguments as JSON>' --confirm`, { dataDir: config.LECTERN_DATA_DIR });
  const { stdin: input, stdout: output } = process;
  await Promise.race([pump({ input, output, connect: once, log, confirmingCommand }), ended]);
  leaving.abort(new Error('the client has left'));
  // A start that is under way closes what it has opened; one that came to its end is ours to close.
  await latest.catch(() => undefined);
  await own?.close();
  // After a signal the client may hold its end open for ever.
  process.stdin.destroy();
  return 0;
}

/** The owner writes its endpoint when it is ready, which takes it a moment. */
async function runningOwner(dataDir: string, signal: AbortSignal): Promise<Endpoint> {
  const folder = await realpath(dataDir);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const endpoint = await readEndpoint(folder);
    if (endpoint && isAlive(endpoint.pid)) return endpoint;
    await delay(100);
    signal.throwIfAborted();
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
