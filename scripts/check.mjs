// Everything that must hold, cheap things first: `quick` is what a commit needs, `all` is what CI runs.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const bin = (name) => join(root, 'node_modules', name);
const reports = mkdtempSync(join(tmpdir(), 'lectern-check-'));
const jest = (kind) => ({
  name: `${kind} tests`,
  arguments: ['scripts/jest.mjs', kind, '--json', `--outputFile=${join(reports, `${kind}.json`)}`],
  report: join(reports, `${kind}.json`),
});

const quick = [
  { name: 'generated files', arguments: ['scripts/generate.mjs', '--check'] },
  { name: 'format', arguments: [bin('prettier/bin/prettier.cjs'), '--check', '--log-level=warn', '.'] },
  { name: 'lint', arguments: [bin('oxlint/bin/oxlint')] },
  { name: 'types', arguments: [bin('typescript/bin/tsc'), '-p', 'tsconfig.json'] },
  jest('unit'),
];
const all = [
  ...quick.slice(0, -1),
  { name: 'unused code', arguments: [bin('knip/bin/knip.js'), '--no-config-hints'] },
  { name: 'PostgreSQL extension', arguments: ['scripts/install-pgvector.mjs'] },
  jest('unit'),
  jest('int'),
  jest('e2e'),
];

const totals = { passed: 0, failed: 0, skipped: 0 };
let broken;
for (const step of process.argv[2] === 'all' ? all : quick) {
  process.stdout.write(`— ${step.name}\n`);
  const result = spawnSync(process.execPath, step.arguments, { cwd: root, stdio: 'inherit' });
  if (step.report) count(step.report);
  if (result.status !== 0) {
    broken = step.name;
    break;
  }
}
rmSync(reports, { recursive: true, force: true });
if (broken) process.stdout.write(`${broken}: failed\n`);
process.stdout.write(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`);
process.exit(broken ? 1 : 0);

function count(report) {
  let result;
  try {
    result = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return; // The runner died before it could write one; its exit code says so.
  }
  totals.passed += result.numPassedTests;
  totals.failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
  totals.skipped += result.numPendingTests + result.numTodoTests;
}
