import type { BlobStore } from '@lectern/blobs';
import type { Database } from '@lectern/database';
import type { Logger, Metrics } from '@lectern/telemetry';
import type { Service } from '@lectern/service';
import { startMicroservice, type Transport } from '@lectern/transport';
import { AppModule } from './app.module.js';
import type { JobConfig } from './config.js';
import { AbandonedUploads } from './documents/abandoned-uploads.js';
import { DeletionRepository } from './documents/deletion.repository.js';
import { DeletionService } from './documents/deletion.service.js';
import { DocumentsRepository } from './documents/documents.repository.js';
import { DocumentsService } from './documents/documents.service.js';
import { UploadsRepository } from './documents/uploads.repository.js';
import type { JobQueue } from './jobs/job-queue.js';
import { OutstandingJobsRepository } from './jobs/outstanding.repository.js';
import { Sweeper } from './jobs/sweeper.js';
import { KnowledgeBasesRepository } from './knowledge-bases/knowledge-bases.repository.js';
import { KnowledgeBasesService } from './knowledge-bases/knowledge-bases.service.js';
import { LexiconRepository } from './lexicon/lexicon.repository.js';
import { LexicalRecounter } from './lexicon/recounter.js';
import { createPipeline } from './pipeline/create-pipeline.js';

export interface IngestionPorts {
  transport: Transport;
  database: Database;
  blobs: BlobStore;
  /** The service hands out its jobs, and closes it. */
  jobs: JobQueue;
  logger: Logger;
  metrics: Metrics;
}

const recountPauseMs = 1_000;
const recountSweepMs = 60_000;

/** Starts answering the operations of ingestion and working off its jobs. Refuses an older schema. */
export async function createService(config: JobConfig, ports: IngestionPorts): Promise<Service> {
  const { transport, database, blobs, jobs: queue, logger, metrics } = ports;
  await database.assertSchema();
  const recounter = new LexicalRecounter({
    lexicon: new LexiconRepository(database),
    pauseMs: recountPauseMs,
    sweepIntervalMs: recountSweepMs,
    logger,
  });
  const onChange = (tenantId: string): void => recounter.note(tenantId);
  const pipeline = createPipeline(config, {
    database,
    blobs,
    client: transport.client,
    onPublished: onChange,
    logger,
    metrics,
  });
  const sweeper = new Sweeper({
    outstanding: new OutstandingJobsRepository(database),
    uploads: new AbandonedUploads(new UploadsRepository(database), blobs),
    queue,
    intervalMs: config.INGESTION_SWEEP_INTERVAL_MS,
    staleMs: config.INGESTION_LEASE_MS * 1.5,
    logger,
  });
  const module = AppModule.with({
    knowledgeBases: new KnowledgeBasesService(new KnowledgeBasesRepository(database), transport.client),
    documents: new DocumentsService(new DocumentsRepository(database), blobs, queue, logger),
    deletion: new DeletionService({
      repository: new DeletionRepository(database),
      ...{ blobs, queue, logger, onDeleted: onChange },
    }),
    logger,
  });
  const running = await startMicroservice(module, transport.serverFor('ingestion'));
  queue.work((job, signal) => pipeline.run(job, signal));
  sweeper.start();
  recounter.start();
  return {
    async isReady() {
      await database.ping();
      return (await transport.isConnected()) && (await queue.isConnected());
    },
    async close() {
      await running.close();
      await sweeper.close();
      await queue.close();
      await recounter.close();
    },
  };
}
