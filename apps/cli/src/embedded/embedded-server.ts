import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { createFileBlobStore } from '@lectern/blobs';
import type { Caller } from '@lectern/contracts';
import { defaultTenantName, ensureTenant, issueToken, openPglite, provisionDefaultTenant } from '@lectern/database';
import type { EmbeddedDatabase } from '@lectern/database';
import { createMemoryVectorCache, createService as createEmbedding } from '@lectern/embedding';
import { createInProcessJobQueue, createService as createIngestion, jobBackOff } from '@lectern/ingestion';
import { createService as createGateway } from '@lectern/mcp-gateway';
import { createService as createRetrieval } from '@lectern/retrieval';
import { collectProcessMetrics, createLogger, createMetrics, type Closable } from '@lectern/telemetry';
import { createInProcessTransport, type ServiceClient } from '@lectern/transport';
import type { EmbeddedConfig } from './config.js';
import { removeEndpoint, writeEndpoint, type Endpoint } from './endpoint-file.js';
import { acquireOwnership } from './owner-lock.js';

/** All four services in this process, which owns the data folder. */
export interface EmbeddedServer {
  /** How this user's own programs reach it. */
  readonly endpoint: Endpoint;
  /** The managed token, when it was made just now: nobody can read it afterwards. */
  readonly newToken: string | undefined;
  readonly client: ServiceClient;
  /** The owner of the process as a caller. */
  readonly caller: Caller;
  close(): Promise<void>;
}

/**
 * Starts the services, or gives undefined when another process owns the data folder. When it is aborted before the end it
 * closes what is open and rejects with the signal's reason.
 */
export async function startEmbedded(config: EmbeddedConfig, signal?: AbortSignal): Promise<EmbeddedServer | undefined> {
  const dataDir = await makeFolder(config.LECTERN_DATA_DIR);
  const lock = await acquireOwnership(dataDir);
  if (!lock) return undefined;
  const opened: Closable[] = [{ close: () => lock.release() }];
  try {
    return await open(config, dataDir, { opened, signal });
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

async function makeFolder(path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'EEXIST' ? 'is no folder' : `can't be made (${code})`;
    throw new Error(`the data folder ${path} ${reason}: choose another with --data-dir or LECTERN_DATA_DIR`, {
      cause: error,
    });
  }
}

async function open(
  config: EmbeddedConfig,
  dataDir: string,
  { opened, signal }: { opened: Closable[]; signal: AbortSignal | undefined },
): Promise<EmbeddedServer> {
  const keep = <T extends Closable>(part: T): T => {
    opened.push(part);
    signal?.throwIfAborted();
    return part;
  };
  const logger = createLogger({ service: 'lectern', level: config.LOG_LEVEL });
  // One set for all four, so that the gateway's /metrics shows the whole process.
  const metrics = createMetrics('lectern');
  collectProcessMetrics(metrics);
  const transport = keep(createInProcessTransport({ logger, metrics }));
  // The model loads in its own process while the database opens in its own thread.
  const children = config.EMBEDDING_CHILDREN || 1;
  const embedding = createEmbedding(
    { ...config, EMBEDDING_CHILDREN: children },
    {
      transport,
      logger,
      metrics,
      cache: createMemoryVectorCache(config),
    },
  );
  // Whichever fails, the other one is closed; a failure shows where the service is awaited.
  keep({ close: async () => (await embedding.catch(() => undefined))?.close() });
  embedding.catch(() => undefined);
  const database = keep(await openPglite({ dataDir: join(dataDir, 'database') }));
  await database.migrate();
  await embedding;
  keep(await createRetrieval(config, { transport, database: database.forRole('retrieval') }));
  keep(
    await createIngestion(config, {
      transport,
      database: database.forRole('ingestion'),
      blobs: await createFileBlobStore(join(dataDir, 'blobs')),
      jobs: createInProcessJobQueue({
        // One is in the database while the other computes vectors.
        concurrency: 2,
        attempts: config.INGESTION_MAX_ATTEMPTS,
        backOff: jobBackOff,
      }),
      logger,
      metrics,
    }),
  );
  const gateway = keep(
    await createGateway(config, {
      transport,
      database: database.forRole('gateway'),
      logger,
      metrics,
    }),
  );
  // The managed token is made when nothing can fail any more: it is shown once.
  const { tenantId, token } = await database.asAdmin(provisionDefaultTenant);
  const endpoint = { url: gateway.url, token: await issueLocalToken(database), pid: process.pid };
  await writeEndpoint(dataDir, endpoint);
  keep({ close: () => removeEndpoint(dataDir) });
  return {
    endpoint,
    newToken: token,
    client: transport.client,
    caller: { tenantId, subject: 'owner', scopes: ['kb:admin'], requestId: 'start' },
    close: () => closeAll(opened),
  };
}

/** A token for this user's own programs, good for as long as the process lives: the next start revokes it. */
function issueLocalToken(database: EmbeddedDatabase): Promise<string> {
  return database.asAdmin(async (connection) => {
    const tenantId = await ensureTenant(connection, defaultTenantName);
    await connection.query("DELETE FROM api_tokens WHERE tenant_id = $1 AND name = 'local'", [tenantId]);
    const { token } = await issueToken(connection, tenantId, { name: 'local', subject: 'local', scopes: ['kb:admin'] });
    return token;
  });
}

/** Last opened, first closed; one that fails does not keep the others open. */
async function closeAll(opened: Closable[]): Promise<void> {
  const failures: unknown[] = [];
  for (const part of opened.splice(0).toReversed()) {
    await part.close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, 'not everything could be closed');
}
