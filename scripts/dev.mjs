// Embedded mode that starts again when a source changes: a watching compiler for each package, and Node's own watcher.
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const packages = ['libs', 'services', 'apps'];

const children = globSync(
  packages.map((folder) => `${folder}/*/tsconfig.json`),
  { cwd: root },
).map((config) =>
  spawn(process.execPath, [tsc, '-p', config, '--watch', '--preserveWatchOutput'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  }),
);
children.push(
  spawn(process.execPath, ['--watch', 'apps/cli/dist/main.js', 'start', ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  }),
);
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
  });
}
