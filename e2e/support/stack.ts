import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, testPostgres, testRedis, type TestPostgres, type TestRedis } from '@lectern/testing';
import { startServer, type ServerProcess } from './server-process.js';

/** The four services as processes, on a database and a key space of their own. */
export interface TestStack {
  readonly server: ServerProcess;
  readonly postgres: TestPostgres;
  readonly redis: TestRedis;
  close(): Promise<void>;
}

export async function startTestStack(
  options: { replicas?: number; environment?: Record<string, string> } = {},
): Promise<TestStack> {
  const [postgres, redis, port] = [await testPostgres(), await testRedis(), await freePort()];
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
    redis,
    async close() {
      await server.stop();
      await Promise.all([postgres.close(), redis.close(), rm(blobs, { recursive: true, force: true })]);
    },
  };
}
