// Finds the servers that tests need: named by the environment, else on this machine, else started for this run.
import { Redis } from 'ioredis';
import pg from 'pg';
import { startPostgres, startRedis } from '../libs/testing/src/own-servers.ts';

const kinds = [
  {
    name: 'PostgreSQL with the extension "vector"',
    variable: 'TEST_DATABASE_URL',
    local: 'postgres://postgres@127.0.0.1:5432/postgres',
    start: startPostgres,
    check: checkPostgres,
  },
  { name: 'Redis', variable: 'TEST_REDIS_URL', local: 'redis://127.0.0.1:6379', start: startRedis, check: checkRedis },
];

/**
 * The environment variables that name the servers, and how to end those that were started. A server that can't be had is
 * an error in CI; elsewhere its tests are skipped, and this says why.
 */
export async function openTestServers() {
  const environment = {};
  const started = [];
  const close = async () => {
    for (const server of started) await server.close();
  };
  for (const kind of kinds) {
    try {
      environment[kind.variable] = await open(kind, started);
    } catch (error) {
      if (process.env.CI) {
        await close();
        throw new Error(`the tests need ${kind.name}`, { cause: error });
      }
      process.stderr.write(`no ${kind.name}: its tests are skipped (${error.message})\n`);
    }
  }
  return { environment, close };
}

async function open(kind, started) {
  const named = process.env[kind.variable];
  if (named) {
    await kind.check(named);
    return named;
  }
  try {
    await kind.check(kind.local);
    return kind.local;
  } catch {
    // None is running here, or it is not usable for tests.
  }
  const server = await kind.start();
  started.push(server);
  await kind.check(server.url);
  return server.url;
}

async function checkPostgres(url) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const found = await client.query("SELECT FROM pg_available_extensions WHERE name = 'vector'");
    if (found.rowCount === 0) throw new Error('pgvector is missing; on Debian run: node scripts/install-pgvector.mjs');
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function checkRedis(url) {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 1, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    await redis.ping();
  } finally {
    redis.disconnect();
  }
}
