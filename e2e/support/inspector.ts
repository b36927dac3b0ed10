import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const binary = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'mcp-inspector');

export interface InspectorRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the MCP Inspector's command line, with a home folder of its own. */
export async function inspect(inspectorArguments: readonly string[]): Promise<InspectorRun> {
  const home = await mkdtemp(join(tmpdir(), 'lectern-inspector-'));
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [binary, '--cli', ...inspectorArguments], {
        env: { ...process.env, HOME: home },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const run: InspectorRun = { code: null, stdout: '', stderr: '' };
      child.stdout.on('data', (bytes: Buffer) => (run.stdout += bytes.toString()));
      child.stderr.on('data', (bytes: Buffer) => (run.stderr += bytes.toString()));
      child.once('error', reject);
      child.once('close', (code) => resolve({ ...run, code }));
    });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
