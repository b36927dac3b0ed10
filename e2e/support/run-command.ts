import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { cliEntry } from './server-process.js';

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the built `lectern` command to its end, with an input that is over at once; its code is null when it did not end by itself. */
export async function runCommand(
  commandArguments: readonly string[],
  environment: Record<string, string> = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, [cliEntry, ...commandArguments], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // One that would run for ever is ended, and gives no code.
    timeout: 60_000,
  });
  const code = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}
