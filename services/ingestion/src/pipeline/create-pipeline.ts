import type { BlobStore } from '@lectern/blobs';
import type { Database } from '@lectern/database';
import type { Logger, Metrics } from '@lectern/telemetry';
import type { ServiceClient } from '@lectern/transport';
import type { JobConfig } from '../config.js';
import { JobsRepository } from '../jobs/jobs.repository.js';
import { ChunkStage } from './chunk.stage.js';
import { ChunksRepository } from './chunks.repository.js';
import { EmbedStage } from './embed.stage.js';
import { ParseStage } from './parse.stage.js';
import { Pipeline } from './pipeline.js';
import { SwitchStage } from './switch.stage.js';
import { TextsRepository } from './texts.repository.js';
import { VectorsRepository } from './vectors.repository.js';
import { VersionsRepository } from './versions.repository.js';

export interface PipelineParts {
  database: Database;
  blobs: BlobStore;
  client: ServiceClient;
  /** Told of a tenant whose searchable chunks have changed. */
  onPublished: (tenantId: string) => void;
  logger: Logger;
  metrics: Metrics;
}

/** The way of a document from its file to the search, on the parts that a process has. */
export function createPipeline(config: JobConfig, parts: PipelineParts): Pipeline {
  const { database, blobs, client, onPublished, logger, metrics } = parts;
  const jobs = new JobsRepository(database, config.INGESTION_LEASE_MS);
  const texts = new TextsRepository(jobs);
  const versions = new VersionsRepository(database, jobs);
  return new Pipeline({
    stages: [
      new ParseStage(blobs, texts),
      new ChunkStage(texts, new ChunksRepository(jobs)),
      new EmbedStage(new VectorsRepository(jobs), client),
      new SwitchStage(texts, versions),
    ],
    jobs,
    versions,
    onPublished,
    maxAttempts: config.INGESTION_MAX_ATTEMPTS,
    leaseMs: config.INGESTION_LEASE_MS,
    logger,
    metrics,
  });
}
