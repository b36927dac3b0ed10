import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileBlobStore, type BlobStore } from '@lectern/blobs';
import {
  createKnowledgeBase,
  deleteDocument,
  submitDocument,
  type RequestInput,
  type ResponseOf,
} from '@lectern/contracts';
import { ensureTenant, openPglite, withAdmin, type Database, type Transaction } from '@lectern/database';
import type { Service } from '@lectern/service';
import { createLogger, createMetrics } from '@lectern/telemetry';
import { eventually, testCaller, testPostgres } from '@lectern/testing';
import { createInProcessTransport, startMicroservice, type Transport } from '@lectern/transport';
import { createService, type IngestionPorts, type JobConfig, type JobQueue } from '../src/index.js';
import { createInProcessJobQueue } from '../src/jobs/in-process-job-queue.js';
import { FakeEmbeddingModule, type FakeEmbedding } from './fake-embedding-service.js';

export interface TestDatabase {
  database: Database;
  /** Sees every tenant. */
  asAdmin<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  createTenant(name: string): Promise<string>;
  close(): Promise<void>;
}

export async function onPostgres(): Promise<TestDatabase> {
  const postgres = await testPostgres();
  return {
    database: postgres.database('ingestion'),
    asAdmin: (work) => withAdmin(postgres.adminUrl, work),
    createTenant: (name) => postgres.createTenant(name),
    close: () => postgres.close(),
  };
}

export async function onPglite(): Promise<TestDatabase> {
  const embedded = await openPglite();
  await embedded.migrate();
  return {
    database: embedded.forRole('ingestion'),
    asAdmin: (work) => embedded.asAdmin(work),
    createTenant: (name) => embedded.asAdmin((transaction) => ensureTenant(transaction, name)),
    close: () => embedded.close(),
  };
}

export const logger = createLogger({ service: 'test', level: process.env.TEST_LOG_LEVEL ?? 'silent' });
export const metrics = createMetrics('test');

export const testConfig: JobConfig = {
  INGESTION_CONCURRENCY: 2,
  INGESTION_MAX_ATTEMPTS: 8,
  INGESTION_LEASE_MS: 1_000,
  INGESTION_SWEEP_INTERVAL_MS: 100,
};

export function testQueue(): JobQueue {
  return createInProcessJobQueue({
    concurrency: testConfig.INGESTION_CONCURRENCY,
    attempts: testConfig.INGESTION_MAX_ATTEMPTS,
    backOff: { firstMs: 20, longestMs: 200 },
  });
}

/** Ingestion on a database of its own, with a fake embedding service behind a real transport. */
export class IngestionFixture {
  private constructor(
    readonly storage: TestDatabase,
    readonly transport: Transport,
    readonly embedding: FakeEmbedding,
    readonly blobs: BlobStore,
    private readonly closing: (() => Promise<void>)[],
  ) {}

  static async open(openDatabase: () => Promise<TestDatabase>): Promise<IngestionFixture> {
    const storage = await openDatabase();
    const directory = await mkdtemp(join(tmpdir(), 'lectern-ingestion-'));
    const transport = createInProcessTransport({ logger, metrics });
    const { module, embedding } = FakeEmbeddingModule.create();
    const service = await startMicroservice(module, transport.serverFor('embedding'));
    return new IngestionFixture(storage, transport, embedding, await createFileBlobStore(directory), [
      () => service.close(),
      () => transport.close(),
      () => storage.close(),
      () => rm(directory, { recursive: true }),
    ]);
  }

  start(overrides: Partial<Pick<IngestionPorts, 'database' | 'blobs' | 'jobs' | 'logger'>> = {}): Promise<Service> {
    return createService(testConfig, {
      transport: this.transport,
      database: this.storage.database,
      blobs: this.blobs,
      jobs: testQueue(),
      logger,
      metrics,
      ...overrides,
    });
  }

  async close(): Promise<void> {
    for (const close of this.closing) await close();
  }

  /** A new tenant with an empty knowledge base. */
  async newTenant(name: string): Promise<TenantFixture> {
    const tenantId = await this.storage.createTenant(name);
    const tenant = new TenantFixture(this, tenantId);
    const { knowledgeBase } = await tenant.createKnowledgeBase({ name: 'base' });
    return Object.assign(tenant, { knowledgeBaseId: knowledgeBase.id });
  }
}

/** What one tenant asks of the service, and what is stored for it. */
export class TenantFixture {
  knowledgeBaseId = '';

  constructor(
    private readonly fixture: IngestionFixture,
    readonly tenantId: string,
  ) {}

  createKnowledgeBase(
    request: RequestInput<typeof createKnowledgeBase>,
    requestId?: string,
  ): Promise<ResponseOf<typeof createKnowledgeBase>> {
    const caller = testCaller(this.tenantId, requestId === undefined ? {} : { requestId });
    return this.fixture.transport.client.call(createKnowledgeBase, request, { caller });
  }

  submit(content: string, overrides: Partial<RequestInput<typeof submitDocument>> = {}) {
    const request = { knowledgeBaseId: this.knowledgeBaseId, fileName: 'notes.txt', content, ...overrides };
    return this.fixture.transport.client.call(submitDocument, request, { caller: testCaller(this.tenantId) });
  }

  delete(documentId: string, knowledgeBaseId?: string) {
    const request = { documentId, ...(knowledgeBaseId === undefined ? {} : { knowledgeBaseId }) };
    return this.fixture.transport.client.call(deleteDocument, request, { caller: testCaller(this.tenantId) });
  }

  /** Rows as the owner sees them; `$1` is the tenant. */
  rows<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]> {
    return this.fixture.storage.asAdmin((transaction) => transaction.query<Row>(sql, [this.tenantId, ...values]));
  }

  async document(id: string): Promise<DocumentRow | undefined> {
    const [row] = await this.rows<DocumentRow>(
      `SELECT d.state, d.error_code AS "errorCode", d.error_message AS "errorMessage", d.active_version AS version,
              d.preview, d.char_count AS "charCount", d.chunk_count AS "chunkCount", j.state AS "jobState", j.stage,
              j.attempts, j.chunks_total AS "chunksTotal", j.chunks_embedded AS "chunksEmbedded"
       FROM documents d JOIN ingestion_jobs j ON j.tenant_id = d.tenant_id AND j.document_id = d.id
       WHERE d.tenant_id = $1 AND d.id = $2`,
      id,
    );
    return row;
  }

  /** Waits until the document stays as it is. */
  settled(id: string): Promise<DocumentRow> {
    return eventually(`document ${id} is settled`, async () => {
      const row = await this.document(id);
      return row && ['done', 'failed', 'cancelled'].includes(row.jobState) ? row : undefined;
    });
  }

  /** How much is stored of a document, in any version. */
  async stored(documentId: string): Promise<{ texts: number; chunks: number; distinct: number; vectors: number }> {
    const [row] = await this.rows<{ texts: number; chunks: number; distinct: number; vectors: number }>(
      `SELECT (SELECT count(*)::int FROM document_texts WHERE tenant_id = $1 AND document_id = $2) AS texts,
              (SELECT count(*)::int FROM chunks WHERE tenant_id = $1 AND document_id = $2) AS chunks,
              (SELECT count(DISTINCT (version, start_offset))::int FROM chunks
                WHERE tenant_id = $1 AND document_id = $2) AS distinct,
              (SELECT count(*)::int FROM chunk_vectors WHERE tenant_id = $1 AND document_id = $2) AS vectors`,
      documentId,
    );
    return row!;
  }
}

export interface DocumentRow {
  state: string;
  errorCode: string | null;
  errorMessage: string | null;
  version: number | null;
  preview: string;
  charCount: number;
  chunkCount: number;
  jobState: string;
  stage: string | null;
  attempts: number;
  chunksTotal: number;
  chunksEmbedded: number;
}

/** A text of so many paragraphs, about a chunk each, in which no two sentences are equal. */
export function longText(paragraphs: number, word = 'lectern'): string {
  const sentences = (paragraph: number): string[] =>
    Array.from({ length: 18 }, (_, index) => `Case ${paragraph}.${index} of ${word} 第${paragraph}章知识库 ${index}. `);
  return Array.from({ length: paragraphs }, (_, index) => sentences(index).join('')).join('\n\n');
}
