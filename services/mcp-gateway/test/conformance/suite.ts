import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

const packageFolder = join(
  ...[import.meta.dirname, '..', '..', '..', '..', 'node_modules', '@modelcontextprotocol', 'conformance'],
);

export interface SuiteRun {
  /** Zero when nothing failed but what the baseline lists, and all of that did. */
  readonly code: number | null;
  readonly output: string;
  /** By name of the scenario, whether it passed. A warning fails only a scenario that the baseline lists. */
  readonly passed: ReadonlyMap<string, boolean>;
}

/** Runs every server scenario of a protocol revision; it has no way to send a credential of its own. */
export async function runSuite(url: string, revision: string, baseline?: string): Promise<SuiteRun> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-conformance-'));
  const expected = baseline === undefined ? [] : ['--expected-failures', baseline];
  const options = ['server', '--url', url, '--requirements', revision, '--output-dir', folder, ...expected];
  try {
    const { code, output } = await run([join(packageFolder, 'dist', 'index.js'), ...options], folder);
    const passed = new Map<string, boolean>();
    for (const [, mark, scenario = ''] of output.matchAll(/^([✓✗]) ([\w-]+): \d+ passed/gmu)) {
      passed.set(scenario, mark === '✓');
    }
    return { code, output, passed };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The scenarios that a server has to pass to conform to a revision, as the suite has frozen them. */
export function requiredScenarios(revision: string): string[] {
  return scenariosIn(join(packageFolder, 'requirements', `${revision}.yaml`));
}

/** The server scenarios that a baseline or a list of requirements names. */
export function scenariosIn(file: string): string[] {
  return (parse(readFileSync(file, 'utf8')) as { server: string[] }).server;
}

function run(nodeArguments: readonly string[], cwd: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, nodeArguments, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
