// Runs one benchmark: npm run bench -- NAME [its arguments]; without a name it says what each of them measures. Node runs
// their TypeScript as it is.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openTestServers } from './test-servers.mjs';

const root = join(import.meta.dirname, '..');
const [name, ...rest] = process.argv.slice(2);
const names = globSync('*.ts', { cwd: join(root, 'bench') })
  .map((file) => basename(file, '.ts'))
  .toSorted();
if (!names.includes(name)) {
  process.stderr.write(`npm run bench -- NAME [its arguments]\n\n${names.map(described).join('\n')}`);
  process.exit(1);
}
// Those that measure the whole need the servers that its tests need.
const needsServers = readFileSync(pathOf(name), 'utf8').includes("from '@lectern/e2e'");
const servers = needsServers ? await openTestServers() : undefined;
const run = spawn(process.execPath, ['--import', './scripts/run-sources.mjs', pathOf(name), ...rest], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...servers?.environment },
  // A group, so that what it has started ends with it when it is told to.
  detached: process.platform !== 'win32',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end(run));
const [code] = await once(run, 'exit');
await servers?.close();
process.exit(code ?? 1);

function end({ pid }) {
  if (process.platform === 'win32') process.kill(pid);
  else process.kill(-pid, 'SIGINT');
}

function pathOf(benchmark) {
  return join(root, 'bench', `${benchmark}.ts`);
}

/** A benchmark's opening comment below its name. */
function described(benchmark) {
  const [comment = ''] = /^(?:\/\*\*[^]*?\*\/|(?:\/\/.*\n)+)/.exec(readFileSync(pathOf(benchmark), 'utf8')) ?? [];
  const lines = comment.split('\n').map((line) => line.replace(/^\s*(?:\/\*\*|\*\/|\*|\/\/)\s?|\s*\*\/$/g, ''));
  return `${benchmark}\n${lines
    .filter((line) => line !== '')
    .map((line) => `  ${line}\n`)
    .join('')}`;
}
