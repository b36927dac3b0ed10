// PGlite runs on the event loop of its thread, so it has a thread of its own. Erasable TypeScript without imports of
// ours: Node runs this file as it is where the sources are used directly.
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';

type Request = { id: number; kind: 'exec' | 'query' | 'close'; sql: string; values: unknown[] };

const port = parentPort;
if (!port) throw new Error('runs in a worker thread only');
const { dataDir } = workerData as { dataDir?: string };

// Files are in the cache of the operating system anyway: the default of 128 MB costs 100 MB more and a slower start.
const settings = ['-c', 'shared_buffers=32MB', '-c', 'jit=off'];
const database = await PGlite.create({
  ...(dataDir ? { dataDir } : {}),
  extensions: { vector },
  startParams: [...PGlite.defaultStartParams, ...settings],
});

async function answer(request: Request): Promise<unknown> {
  switch (request.kind) {
    case 'exec':
      await database.exec(request.sql);
      return [];
    case 'query':
      return (await database.query(request.sql, request.values)).rows;
    case 'close':
      await database.close();
      return [];
  }
}

port.on('message', (request: Request) => {
  answer(request).then(
    (rows) => port.postMessage({ id: request.id, rows }),
    ({ message, name, code, constraint }: Error & { code?: string; constraint?: string }) =>
      port.postMessage({ id: request.id, error: { message, name, code, constraint } }),
  );
});
port.postMessage({ id: 0, rows: [] });
