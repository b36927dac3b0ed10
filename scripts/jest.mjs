// Runs one kind of test: node scripts/jest.mjs unit|int|e2e [jest arguments].
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const [kind, ...rest] = process.argv.slice(2);
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const run = spawnSync(
  process.execPath,
  ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', jest, '--passWithNoTests', ...rest],
  { stdio: 'inherit', env: { ...process.env, LECTERN_TEST_KIND: kind } },
);
process.exit(run.status ?? 1);
