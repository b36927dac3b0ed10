import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

// Like main.ts, this runs on whatever Node there is: it uses nothing that Node 20 lacks.

const neededMajor = 24;

/**
 * The Node to run on, as a path: undefined when the running one will do. Throws a sentence where there is none.
 * @param version of the running Node, such as 20.1.0
 * @param resolve finds a file of an installed package, or throws
 */
export function otherNode(version: string, resolve: (file: string) => string): string | undefined {
  if (Number(version.split('.')[0]) >= neededMajor) return undefined;
  const windows = process.platform === 'win32';
  const packaged = `node-${windows ? 'win' : process.platform}-${process.arch}/bin/node${windows ? '.exe' : ''}`;
  try {
    return resolve(packaged);
  } catch (error) {
    throw new Error(
      `Lectern needs Node ${neededMajor}, this is Node ${version}, and the project brings none for this platform: install Node ${neededMajor}`,
      { cause: error },
    );
  }
}

/** Runs this command again on Node 24, if the running one is older. Resolves to its exit code, or undefined. */
export async function runOnNode24(): Promise<number | undefined> {
  const node = otherNode(process.versions.node, createRequire(import.meta.url).resolve);
  if (node === undefined) return undefined;
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  // Ctrl-C reaches both from the terminal; we stay until the child has ended.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
