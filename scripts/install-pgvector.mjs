// Makes the extension `vector` available to the PostgreSQL server of a Debian machine, if it is missing: from the
// release's own package where there is one, else built from Debian's source package. Does nothing where a server is
// named by TEST_DATABASE_URL, or where none is installed.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The Debian release whose pgvector source builds on every PostgreSQL from 13 on, and the package's version. */
const source = { release: 'trixie', upstream: '0.8.0' };

const major = process.env.TEST_DATABASE_URL ? undefined : installedMajor();
if (major && !existsSync(`/usr/share/postgresql/${major}/extension/vector.control`)) install(major);

/** The newest PostgreSQL server in Debian's layout, as its major version. */
function installedMajor() {
  const directory = '/usr/lib/postgresql';
  if (!existsSync(directory)) return undefined;
  return readdirSync(directory)
    .filter((name) => existsSync(join(directory, name, 'bin', 'postgres')))
    .toSorted((a, b) => Number(b) - Number(a))[0];
}

function install(version) {
  if (process.getuid?.() !== 0) {
    fail(
      `PostgreSQL ${version} lacks the extension "vector": run this script as root, or install postgresql-${version}-pgvector`,
    );
  }
  run('apt-get', ['update', '-qq']);
  if (packageExists(`postgresql-${version}-pgvector`)) {
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', `postgresql-${version}-pgvector`]);
  } else {
    build(version);
  }
  process.stderr.write(`installed the extension vector for PostgreSQL ${version}\n`);
}

function packageExists(name) {
  const shown = execFileSync('apt-cache', ['policy', name], { encoding: 'utf8' });
  return /Candidate: \d/.test(shown);
}

function build(version) {
  run('apt-get', [
    'install',
    '-y',
    '-qq',
    '--no-install-recommends',
    `postgresql-server-dev-${version}`,
    'dpkg-dev',
    'make',
    'gcc',
  ]);
  const work = mkdtempSync(join(tmpdir(), 'pgvector-'));
  try {
    const options = sourceOptions(work);
    run('apt-get', [...options, 'update', '-qq'], work);
    run('apt-get', [...options, 'source', '-qq', '--download-only', `pgvector/${source.release}`], work);
    const description = readdirSync(work).find((name) => name.endsWith('.dsc')) ?? fail('no source package came');
    run('dpkg-source', ['-x', description, 'pgvector'], work);
    const make = [`PG_CONFIG=/usr/lib/postgresql/${version}/bin/pg_config`, 'with_llvm=no', 'OPTFLAGS='];
    run('make', ['-j2', ...make], join(work, 'pgvector'));
    run('make', ['install', ...make], join(work, 'pgvector'));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** apt options that read sources of one release from the mirror this machine uses, and leave its own lists alone. */
function sourceOptions(work) {
  for (const directory of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(work, directory), { recursive: true });
  const list = join(work, 'sources.list');
  writeFileSync(
    list,
    `deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${debianMirror()} ${source.release} main\n`,
  );
  const settings = {
    'Dir::Etc::SourceList': list,
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State::Lists': join(work, 'lists'),
    'Dir::Cache': join(work, 'cache'),
    'Dir::Cache::pkgcache': '',
    'Dir::Cache::srcpkgcache': '',
    'APT::Sandbox::User': 'root',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

/** The mirror from which this machine takes Debian's main archive. */
function debianMirror() {
  const lists = '/etc/apt/sources.list.d';
  const files = ['/etc/apt/sources.list', ...readdirSync(lists).map((name) => join(lists, name))].filter((path) =>
    existsSync(path),
  );
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const uri = /^URIs:\s*(\S+)/m.exec(text)?.[1] ?? /^deb\s+(?:\[[^\]]*\]\s+)?(\S+)/m.exec(text)?.[1];
    if (uri && !uri.includes('security')) return uri;
  }
  return fail('found no Debian mirror in the apt configuration of this machine');
}

function run(program, programArguments, directory = '/') {
  try {
    execFileSync(program, programArguments, {
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  } catch (error) {
    fail(
      `${program} ${programArguments[0]} failed while installing the extension "vector":\n${error.stderr ?? error.message}`,
    );
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
