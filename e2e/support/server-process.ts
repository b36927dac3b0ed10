import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';

/** The built `lectern` command. */
export const cliEntry = join(import.meta.dirname, '..', '..', 'apps', 'cli', 'dist', 'main.js');

/** What `lectern start --json` and `lectern stack --json` print when they are ready. */
export interface Announcement {
  urls: string[];
  token: string;
  /** With the port of its probes and metrics, where that is one of its own. */
  processes: { name: string; pid: number; healthPort?: number }[];
}

/** A server that a test started through the command, as a user does. */
export interface ServerProcess extends Announcement {
  readonly child: ChildProcess;
  /** What it wrote on stderr so far. */
  log(): string;
  /** Sends the signal that Ctrl-C sends, and resolves to the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Runs the built command until it says that it is ready. */
export async function startServer(
  commandArguments: readonly string[],
  environment: Record<string, string> = {},
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [cliEntry, ...commandArguments, '--json'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (bytes: Buffer) => {
    log += bytes.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const announcement = await Promise.race([
    firstJson(child),
    ended.then((code) => Promise.reject(new Error(`the server ended with ${code} before it was ready:\n${log}`))),
  ]);
  return {
    ...announcement,
    child,
    log: () => log,
    async stop(signal = 'SIGINT') {
      child.kill(signal);
      return ended;
    },
  };
}

async function firstJson(child: ChildProcess): Promise<Announcement> {
  if (!child.stdout) throw new Error('the server has no stdout');
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) return JSON.parse(line) as Announcement;
  }
  // It is ending; its exit code and log say why.
  return new Promise(() => undefined);
}
