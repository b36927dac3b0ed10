// Runs one kind of test: node scripts/jest.mjs unit|int|e2e [jest arguments]. Tests of the last two kinds find their
// servers in the environment.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { openTestServers } from './test-servers.mjs';

const [kind, ...rest] = process.argv.slice(2);
// Where nobody watches, what a failed test left open must not keep the run from ending.
if (process.env.CI) rest.push('--forceExit');
const servers = kind === 'unit' ? undefined : await openTestServers();
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const run = spawn(
  process.execPath,
  ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', jest, '--passWithNoTests', ...rest],
  { stdio: 'inherit', env: { ...process.env, ...servers?.environment, LECTERN_TEST_KIND: kind } },
);
// Ctrl-C reaches jest from the terminal; we stay to end the servers after it.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => run.kill('SIGTERM'));
const [code] = await once(run, 'exit');
await servers?.close();
process.exit(code ?? 1);
