import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  freePort,
  testPostgres,
  testRedis,
  type OwnPostgres,
  type OwnRedis,
  type TestPostgres,
  type TestRedis,
} from '@lectern/testing';
import { startServer, type ServerProcess } from './server-process.js';

/** The four services as processes, on a database and a key space of their own. */
export interface TestStack {
  readonly server: ServerProcess;
  readonly postgres: TestPostgres;
  /** Folder of the uploaded bytes. */
  readonly blobs: string;
  readonly redis: TestRedis;
  close(): Promise<void>;
}

export interface TestStackOptions {
  replicas?: number;
  environment?: Record<string, string>;
  /** Servers that the test may stop; they stay its own to close, after the stack. */
  servers?: { postgres: OwnPostgres; redis: OwnRedis };
}

export async function startTestStack(options: TestStackOptions = {}): Promise<TestStack> {
  const postgres = await testPostgres(options.servers?.postgres.url);
  const [redis, port] = [await redisOf(options), await freePort()];
  const blobs = await mkdtemp(join(tmpdir(), 'lectern-blobs-'));
  const server = await startServer(['stack', '--replicas', String(options.replicas ?? 1), '--port', String(port)], {
    DATABASE_URL: postgres.adminUrl,
    REDIS_URL: redis.url,
    REDIS_PREFIX: redis.prefix,
    BLOB_DIR: blobs,
    EMBEDDING_CHILDREN: '1',
    ...options.environment,
  });
  return {
    server,
    postgres,
    blobs,
    redis,
    async close() {
      await server.stop();
      await Promise.all([postgres.close(), redis.close(), rm(blobs, { recursive: true, force: true })]);
    },
  };
}

async function redisOf({ servers }: TestStackOptions): Promise<TestRedis> {
  return servers ? { url: servers.redis.url, prefix: 'lectern', close: async () => undefined } : testRedis();
}
