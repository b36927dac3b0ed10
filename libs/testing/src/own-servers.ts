// Servers that belong to one test or one run of the tests. Without imports of ours: the test runner, plain JavaScript,
// uses this file as it is.
import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';

/** A PostgreSQL server of a test's own, which it may stop and start again on the same port. */
export interface OwnPostgres {
  /** Login of the superuser. */
  readonly url: string;
  start(): Promise<void>;
  /** Ends it like a crash: nothing is finished, the next start recovers. */
  stop(): Promise<void>;
  /** Stops it and removes its data. */
  close(): Promise<void>;
}

/** Starts a server from this machine's PostgreSQL programs in a temporary folder; throws where there are none. */
export async function startPostgres(): Promise<OwnPostgres> {
  const programs = findPrograms();
  const identity = unprivilegedIdentity();
  const directory = mkdtempSync(join(tmpdir(), 'lectern-postgres-'));
  if (identity) chownSync(directory, identity.uid, identity.gid);
  const data = join(directory, 'data');
  const options = { ...identity, env: { ...process.env, HOME: directory }, cwd: directory } as const;
  const initdb = ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(programs, 'initdb'), initdb, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });

  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  // No Unix socket: its path may be too long for the temporary folder. No fsync: the data is thrown away.
  const settings = ['-c', 'unix_socket_directories=', '-c', 'fsync=off', '-c', 'max_connections=200'];
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    server = await launch(
      join(programs, 'postgres'),
      ['-D', data, '-p', String(port), '-h', '127.0.0.1', ...settings],
      { ...options, stdio: 'ignore' },
    );
    await untilAnswering(url, server);
  };
  const stop = async (): Promise<void> => {
    await end(server, 'SIGQUIT');
    server = undefined;
  };
  const close = async (): Promise<void> => {
    await stop();
    rmSync(directory, { recursive: true, force: true });
  };
  await start().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { url, start, stop, close };
}

/** The folder with `initdb` and `postgres`: the newest of Debian's layout, else on the PATH. */
function findPrograms(): string {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
  if (!found) throw new Error('this machine has no PostgreSQL server programs (initdb, postgres)');
  return found;
}

/** PostgreSQL refuses to run as root, so then it runs as the user of its package, else as nobody. */
function unprivilegedIdentity(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const ask = (flag: string): number =>
        Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: ask('-u'), gid: ask('-g') };
    } catch {
      // There is no such user.
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is no other user to run it as');
}

async function untilAnswering(url: string, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline && server.exitCode === null) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on('error', () => undefined);
    const answered = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    if (answered) return;
    await delay(50);
  }
  throw new Error('the PostgreSQL server of the test did not start');
}

/** A Redis server of a test's own, which it may stop, pause and start again on the same port. */
export interface OwnRedis {
  readonly url: string;
  readonly port: number;
  start(): Promise<void>;
  /** Ends it like a crash; nothing was persisted. */
  stop(): Promise<void>;
  /** Suspends the process: connections stay, nothing answers. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

/** Starts `redis-server` on a free port, without persistence; throws where there is none. */
export async function startRedis(): Promise<OwnRedis> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    server = await launch('redis-server', settings, { stdio: 'ignore' });
    await untilPonging(url);
  };
  const stop = async (): Promise<void> => {
    await end(server, 'SIGKILL');
    server = undefined;
  };
  await start();
  return {
    url,
    port,
    start,
    stop,
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    close: stop,
  };
}

async function untilPonging(url: string): Promise<void> {
  const redis = new Redis(url, { retryStrategy: (attempt) => (attempt < 100 ? 50 : null), maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  try {
    await redis.ping();
  } finally {
    redis.disconnect();
  }
}

async function launch(program: string, programArguments: string[], options: SpawnOptions): Promise<ChildProcess> {
  const child = spawn(program, programArguments, options);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  return child;
}

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
