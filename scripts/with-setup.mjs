// Runs one of the commands below after making sure that what it needs is there: the packages of the lockfile, Node 24 and
// a current build. Plain JavaScript without imports from packages, since it runs before any is installed, on Node 20.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const [command, ...rest] = process.argv.slice(2);
const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const nodePackages = new Set(['linux-x64', 'linux-arm64', 'win-x64']);
const packagedNode = join(
  root,
  'node_modules',
  `node-${platform}`,
  'bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
);

/** What runs Lectern takes settings from a file too; tests and benchmarks bring their own. */
const settings = existsSync(join(root, '.env')) ? ['--env-file=.env'] : [];

/** Each command: whether it needs a build, and the steps it takes; a step is the arguments of Node 24. */
const commands = {
  start: { build: true, steps: [[...settings, 'apps/cli/dist/main.js', 'start', ...rest]] },
  stack: { build: true, steps: [[...settings, 'apps/cli/dist/main.js', 'stack', ...rest]] },
  migrate: { build: true, steps: [[...settings, 'apps/cli/dist/main.js', 'migrate', ...rest]] },
  lectern: { build: true, steps: [[...settings, 'apps/cli/dist/main.js', ...rest]] },
  dev: { build: true, steps: [[...settings, 'scripts/dev.mjs', ...rest]] },
  build: { build: true, steps: [] },
  generate: { build: true, steps: [['scripts/generate.mjs', ...rest]] },
  check: { build: true, steps: [['scripts/check.mjs', 'quick', ...rest]] },
  test: { build: true, steps: [['scripts/check.mjs', 'all', ...rest]] },
  'test:int': { build: true, steps: [['scripts/jest.mjs', 'int', ...rest]] },
  'test:e2e': { build: true, steps: [['scripts/jest.mjs', 'e2e', ...rest]] },
  bench: { build: true, steps: [['scripts/bench.mjs', ...rest]] },
};

const wanted = commands[command];
if (!wanted) fail(`unknown command ${command}: takes ${Object.keys(commands).join(', ')}`);
installPackages();
const node = findNode();
// Whatever is started from here finds Node 24 first.
process.env.PATH = join(root, 'node_modules', '.bin') + delimiter + process.env.PATH;
if (wanted.build)
  run(
    node,
    [join(root, 'node_modules/nx/dist/bin/nx.js'), 'run-many', '-t', 'build', '--output-style=static'],
    'building',
  );
for (const step of wanted.steps) await follow(node, step);

/** `npm ci` when the lockfile is not the one that was installed last. */
function installPackages() {
  const digest = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = join(root, 'node_modules', '.lectern-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  run(process.platform === 'win32' ? 'npm.cmd' : 'npm', ['ci', '--loglevel=error'], 'installing packages');
  // An optional package that can't be fetched is no error for npm, and Node is one.
  if (nodePackages.has(platform) && !existsSync(packagedNode)) fail('the package of Node 24 did not arrive: try again');
  writeFileSync(stamp, digest);
}

/** The Node 24 that the lockfile brings, else (macOS, where no package has it) the running one if it is new enough. */
function findNode() {
  if (existsSync(packagedNode)) return packagedNode;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  return fail(`Lectern needs Node 24, and no package brings it for ${platform}: install Node 24 and try again`);
}

/** Runs a preparation quietly; shows its output only when it fails. */
function run(program, programArguments, label) {
  process.stderr.write(`${label} …\n`);
  const result = spawnSync(program, programArguments, { cwd: root, encoding: 'utf8', shell: program.endsWith('.cmd') });
  if (result.status !== 0) fail(`${result.stdout ?? ''}${result.stderr ?? ''}\n${label} failed`);
}

/** Runs a step in the foreground. Ctrl-C reaches it from the terminal; we stay until it has ended. */
function follow(program, programArguments) {
  return new Promise((resolve) => {
    const child = spawn(program, programArguments, { cwd: root, stdio: 'inherit' });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.on(signal, () => signal === 'SIGINT' || child.kill(signal));
    child.on('exit', (code, signal) => (code === 0 ? resolve() : process.exit(code ?? (signal ? 130 : 1))));
  });
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
