import {
  isServiceError,
  type Operation,
  type RequestInput,
  type ResponseOf,
  type ServiceError,
} from '@lectern/contracts';
import { ensureTenant, openPglite, withAdmin, type Database } from '@lectern/database';
import { createService } from '@lectern/retrieval';
import { createLogger, createMetrics } from '@lectern/telemetry';
import { hasServers, testCaller, testPostgres } from '@lectern/testing';
import { createInProcessTransport, startMicroservice } from '@lectern/transport';
import { describe } from '@jest/globals';
import { Corpus } from './corpus.js';
import { FakeEmbedding, FakeEmbeddingModule } from './fake-embedding.controller.js';

interface Backend {
  database(role: 'retrieval' | 'ingestion'): Database;
  createTenant(name: string): Promise<string>;
  /** Sets a parameter of the server for all connections that are opened from now on. */
  configure(parameter: string, value: string): Promise<void>;
  close(): Promise<void>;
}

const backends: Record<string, () => Promise<Backend>> = {
  async PostgreSQL() {
    const postgres = await testPostgres();
    const database = new URL(postgres.adminUrl).pathname.slice(1);
    return {
      database: (role) => postgres.database(role),
      createTenant: (name) => postgres.createTenant(name),
      configure: (parameter, value) =>
        withAdmin(postgres.adminUrl, async (transaction) => {
          await transaction.query(`ALTER DATABASE ${database} SET ${parameter} = ${value}`);
        }),
      close: () => postgres.close(),
    };
  },
  async PGlite() {
    const embedded = await openPglite();
    await embedded.migrate();
    return {
      database: (role) => embedded.forRole(role),
      createTenant: (name) => embedded.asAdmin((transaction) => ensureTenant(transaction, name)),
      configure: (parameter, value) =>
        embedded.asAdmin(async (transaction) => void (await transaction.query(`SET ${parameter} = ${value}`))),
      close: () => embedded.close(),
    };
  },
};

/** Runs the same tests on each database that the product runs on. */
export function describeOnBackends(title: string, tests: (open: () => Promise<Backend>) => void): void {
  for (const [name, open] of Object.entries(backends)) {
    const runs = name === 'PGlite' || hasServers('postgres');
    (runs ? describe : describe.skip)(`${title} on ${name}`, () => tests(open));
  }
}

/** Retrieval on a real database, with deterministic vectors in place of the embedding service. */
export interface Fixture {
  readonly embedding: FakeEmbedding;
  /** An empty tenant. */
  corpus(name: string): Promise<Corpus>;
  call<O extends Operation>(tenantId: string, operation: O, input: RequestInput<O>): Promise<ResponseOf<O>>;
  /** The error of a call that has to fail. */
  refusal<O extends Operation>(tenantId: string, operation: O, input: RequestInput<O>): Promise<ServiceError>;
  close(): Promise<void>;
}

export async function openFixture(
  open: () => Promise<Backend>,
  settings: { exactUpTo?: number; serverParameters?: Record<string, string> } = {},
): Promise<Fixture> {
  const backend = await open();
  for (const [parameter, value] of Object.entries(settings.serverParameters ?? {})) {
    await backend.configure(parameter, value);
  }
  const logger = createLogger({ service: 'test', level: 'error' });
  const transport = createInProcessTransport({ logger, metrics: createMetrics('test') });
  const embedding = new FakeEmbedding();
  const embeddingService = await startMicroservice(
    FakeEmbeddingModule.with(embedding),
    transport.serverFor('embedding'),
  );
  const config = { SEARCH_EXACT_UP_TO_CHUNKS: settings.exactUpTo ?? 20_000, SEARCH_LEXICAL_CANDIDATES: 5_000 };
  const service = await createService(config, { transport, database: backend.database('retrieval') });
  const call: Fixture['call'] = (tenantId, operation, input) =>
    transport.client.call(operation, input, { caller: testCaller(tenantId) });
  return {
    embedding,
    call,
    async refusal(tenantId, operation, input) {
      const error = await call(tenantId, operation, input).catch((reason: unknown) => reason);
      if (isServiceError(error)) return error;
      throw new Error('it was answered');
    },
    corpus: async (name) => new Corpus(backend.database('ingestion'), await backend.createTenant(name)),
    async close() {
      await service.close();
      await embeddingService.close();
      await transport.close();
      await backend.close();
    },
  };
}
