import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ServiceError } from '@lectern/contracts';
import { newId } from '@lectern/database';
import type { Service } from '@lectern/service';
import { eventually, startRedis } from '@lectern/testing';
import type { JobQueue } from '../src/index.js';
import { createBullMqJobQueue } from '../src/jobs/bullmq-job-queue.js';
import { JobsRepository, RunLostError } from '../src/jobs/jobs.repository.js';
import { createPipeline } from '../src/pipeline/create-pipeline.js';
import { FaultyDatabase } from './faulty-database.js';
import {
  IngestionFixture,
  logger,
  longText,
  metrics,
  onPostgres,
  testConfig,
  testQueue,
  type TenantFixture,
} from './fixture.js';
import { recordedLog } from './recorded-log.js';

/** A queue that nobody works off, as the one of a process that has died. */
function deadQueue(): JobQueue {
  const queue = testQueue();
  return {
    enqueue: async () => undefined,
    cancel: async () => undefined,
    work: () => undefined,
    isConnected: async () => true,
    close: () => queue.close(),
  };
}

const unavailable = new ServiceError('unavailable', 'The embedding service is not running.');

describe('ingestion under faults', () => {
  let fixture: IngestionFixture;
  let tenant: TenantFixture;
  let service: Service | undefined;
  const gates: (() => void)[] = [];

  /** Something to wait for, at most until the end of the test. */
  function gate(): { opened: Promise<void>; open: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    gates.push(resolve);
    return { opened: promise, open: resolve };
  }

  beforeAll(async () => {
    fixture = await IngestionFixture.open(onPostgres);
  });
  afterAll(() => fixture.close());
  beforeEach(async () => {
    fixture.embedding.reset();
    const setUp = await fixture.start({ jobs: deadQueue() });
    tenant = await fixture.newTenant(`tenant ${Math.random()}`);
    await setUp.close();
  });
  afterEach(async () => {
    for (const open of gates.splice(0)) open();
    await service?.close();
    service = undefined;
    // Else the next test's service would find outstanding jobs.
    await tenant.rows('DELETE FROM documents WHERE tenant_id = $1');
  });

  /** Stores a document whose job is in no queue. */
  async function submitUnqueued(content: string): Promise<{ documentId: string; jobId: string }> {
    const stored = await fixture.start({ jobs: deadQueue() });
    const answer = await tenant.submit(content);
    await stored.close();
    return answer;
  }

  async function expectComplete(documentId: string): Promise<void> {
    const row = await tenant.settled(documentId);
    expect(row).toMatchObject({ state: 'ready', jobState: 'done' });
    const { chunks, distinct, vectors } = await tenant.stored(documentId);
    expect({ distinct, vectors, counted: row.chunkCount, embedded: row.chunksEmbedded }).toEqual({
      distinct: chunks,
      vectors: chunks,
      counted: chunks,
      embedded: chunks,
    });
  }

  it('loses and doubles nothing when a process dies after any of its transactions', async () => {
    const leaseMs = 50;
    const survivor = createPipeline(
      { ...testConfig, INGESTION_LEASE_MS: leaseMs },
      { ...parts(), database: fixture.storage.database },
    );
    let deaths = 0;
    for (let diesAfter = 1; ; diesAfter += 1) {
      const job = { tenantId: tenant.tenantId, ...(await submitUnqueued(longText(20, `life ${diesAfter}`))) };
      const mortal = new FaultyDatabase(fixture.storage.database);
      mortal.diesAfter = diesAfter;
      const dying = createPipeline(testConfig, { ...parts(), database: mortal });
      const died = await dying.run(job, new AbortController().signal).then(
        () => false,
        () => true,
      );
      if (!died) break;
      deaths += 1;
      await eventually('another process takes over', () =>
        survivor.run(job, new AbortController().signal).then(
          () => true,
          () => false,
        ),
      );
      await expectComplete(job.documentId);
    }
    expect(deaths).toBeGreaterThan(15);
  });

  function parts() {
    const { blobs, transport } = fixture;
    return { blobs, client: transport.client, onPublished: () => undefined, logger, metrics };
  }

  it('lets no stalled run write once another has taken over', async () => {
    const stalled = new FaultyDatabase(fixture.storage.database);
    const { documentId, jobId } = await submitUnqueued(longText(20));
    const embedding = gate();
    fixture.embedding.intercept = async () => void (await embedding.opened);
    const first = createPipeline(testConfig, { ...parts(), database: stalled });
    const firstRun = first.run({ tenantId: tenant.tenantId, jobId }, new AbortController().signal);
    await eventually('the first run embeds', () => fixture.embedding.requests.length > 0);
    const stall = gate();
    stalled.paused = stall.opened;
    fixture.embedding.reset();
    service = await fixture.start();
    await expectComplete(documentId);
    embedding.open();
    stall.open();
    // It ends without an error: there is nothing left for it to do.
    await firstRun;
    await expectComplete(documentId);
    expect((await tenant.document(documentId))?.attempts).toBe(2);
  });

  it('gives the job to one of many who want it at once', async () => {
    const { jobId } = await submitUnqueued('wanted');
    const jobs = new JobsRepository(fixture.storage.database, 60_000);
    const claims = await Promise.allSettled(
      Array.from({ length: 6 }, () => jobs.claim({ tenantId: tenant.tenantId, jobId }, new AbortController().signal)),
    );
    const runs = claims.flatMap((claim) => (claim.status === 'fulfilled' && claim.value ? [claim.value] : []));
    expect(runs).toHaveLength(1);
    expect(claims.filter((claim) => claim.status === 'rejected')).toHaveLength(5);
    await expect(jobs.renew({ ...runs[0]!, attempt: 7 })).rejects.toThrow(RunLostError);
    await jobs.release(runs[0]!);
  });

  it('stops without a warning when the document is deleted, re-creates nothing, and goes on with others', async () => {
    const log = recordedLog();
    service = await fixture.start({ logger: log.logger });
    const embedding = gate();
    fixture.embedding.intercept = async () => void (await embedding.opened);
    const doomed = await tenant.submit(longText(40));
    await eventually('it embeds', () => fixture.embedding.requests.length > 0);
    const receipt = await tenant.delete(doomed.documentId);
    expect(receipt.deleted).toMatchObject({ blobs: 1, jobs: 1 });
    expect(receipt.deleted.chunks).toBeGreaterThan(16);
    embedding.open();
    const next = await tenant.submit('another one');
    await expectComplete(next.documentId);
    expect(await tenant.document(doomed.documentId)).toBeUndefined();
    expect(await tenant.stored(doomed.documentId)).toEqual({ texts: 0, chunks: 0, distinct: 0, vectors: 0 });
    expect(fixture.embedding.requests).toHaveLength(2);
    const stopped = await eventually('the run has stopped', () =>
      log.lines.find(({ message }) => message.startsWith('ingestion stopped')),
    );
    expect([stopped.level, 'err' in stopped.fields]).toEqual(['info', false]);
    expect(log.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  });

  it('deletes a document in any state', async () => {
    const queued = await submitUnqueued('never begun');
    service = await fixture.start({ jobs: deadQueue() });
    expect((await tenant.delete(queued.documentId)).deleted).toEqual({ chunks: 0, vectors: 0, blobs: 1, jobs: 1 });
  });

  it('waits for an embedding service that is away, and counts the attempts', async () => {
    service = await fixture.start();
    let failures = 3;
    fixture.embedding.intercept = async () => {
      failures -= 1;
      if (failures >= 0) throw unavailable;
      return undefined;
    };
    const { documentId } = await tenant.submit('patience');
    await expectComplete(documentId);
    expect((await tenant.document(documentId))?.attempts).toBe(4);
  });

  it('gives up at last, with words for the user', async () => {
    service = await fixture.start();
    fixture.embedding.intercept = async () => {
      throw unavailable;
    };
    const { documentId } = await tenant.submit('in vain');
    expect(await tenant.settled(documentId)).toMatchObject({
      state: 'failed',
      errorCode: 'gave_up',
      errorMessage: expect.stringMatching(/Upload the document again/),
      attempts: testConfig.INGESTION_MAX_ATTEMPTS,
    });
  });

  it('fails a document whose file is gone', async () => {
    const { documentId } = await submitUnqueued('lost');
    await fixture.blobs.delete(`${tenant.tenantId}/${documentId}`);
    service = await fixture.start();
    expect(await tenant.settled(documentId)).toMatchObject({ state: 'failed', errorCode: 'content_missing' });
  });

  it('keeps a document whose queue is away, and ingests it when it is back', async () => {
    const queue = testQueue();
    let away = true;
    service = await fixture.start({
      jobs: {
        enqueue: (job, priority) => (away ? Promise.reject(new Error('away')) : queue.enqueue(job, priority)),
        cancel: (jobId) => queue.cancel(jobId),
        work: (handler) => queue.work(handler),
        isConnected: () => queue.isConnected(),
        close: () => queue.close(),
      },
    });
    const { documentId, created } = await tenant.submit('accepted all the same');
    expect(created).toBe(true);
    away = false;
    await expectComplete(documentId);
  });

  it('gives its jobs back when it stops, and goes on where it stopped', async () => {
    service = await fixture.start();
    let answered = 0;
    const embedding = gate();
    fixture.embedding.intercept = async () => {
      answered += 1;
      if (answered > 2) await embedding.opened;
      return undefined;
    };
    const { documentId } = await tenant.submit(longText(40));
    await eventually('two batches are done', () => answered > 2);
    await service.close();
    embedding.open();
    expect(await tenant.document(documentId)).toMatchObject({ state: 'queued', jobState: 'queued', stage: 'embed' });
    const embedded = (await tenant.stored(documentId)).vectors;
    expect(embedded).toBe(32);
    fixture.embedding.reset();
    service = await fixture.start();
    await expectComplete(documentId);
    const { vectors } = await tenant.stored(documentId);
    expect(fixture.embedding.requests.flat()).toHaveLength(vectors - embedded);
  });

  it('ingests what an emptied Redis has forgotten', async () => {
    const redis = await startRedis();
    const open = () =>
      createBullMqJobQueue({
        url: redis.url,
        prefix: 'test',
        concurrency: 1,
        attempts: 5,
        backOff: { firstMs: 20, longestMs: 200 },
        lockMs: 1_500,
        logger,
      });
    service = await fixture.start({ jobs: await open() });
    const embedding = gate();
    fixture.embedding.intercept = async () => void (await embedding.opened);
    const documents = [];
    for (const word of ['one', 'two', 'three']) documents.push(await tenant.submit(`document ${word}`));
    await eventually('the first one runs', () => fixture.embedding.requests.length > 0);
    await redis.stop();
    await redis.start();
    embedding.open();
    for (const { documentId } of documents) await expectComplete(documentId);
    await service.close();
    service = undefined;
    await redis.close();
  });

  describe('a new version of a document', () => {
    async function requestVersion(documentId: string, version: number): Promise<void> {
      await tenant.rows(
        `INSERT INTO ingestion_jobs (tenant_id, id, kb_id, document_id, version, space_id, requested_by)
         SELECT tenant_id, $3, kb_id, document_id, $4, space_id, 'test' FROM ingestion_jobs
         WHERE tenant_id = $1 AND document_id = $2 AND version = 1`,
        documentId,
        newId(),
        version,
      );
    }

    async function state(documentId: string): Promise<string> {
      const [row] = await tenant.rows<{ state: string; active: number; versions: string }>(
        `SELECT d.state, d.active_version AS active,
                (SELECT string_agg(DISTINCT version::text, ',') FROM chunks
                  WHERE tenant_id = $1 AND document_id = $2) AS versions
         FROM documents d WHERE d.tenant_id = $1 AND d.id = $2`,
        documentId,
      );
      return `${row?.state} ${row?.active} of ${row?.versions}`;
    }

    it('takes the place of the old one, whose rows are removed, and reuses its vectors', async () => {
      service = await fixture.start();
      const { documentId } = await tenant.submit(longText(80));
      await expectComplete(documentId);
      fixture.embedding.reset();
      await requestVersion(documentId, 2);
      await eventually('version 2 alone is left', async () => (await state(documentId)) === 'ready 2 of 2');
      expect(fixture.embedding.requests).toEqual([]);
    });

    it('leaves the old one serving when it fails', async () => {
      service = await fixture.start();
      const { documentId } = await tenant.submit('steady');
      await expectComplete(documentId);
      await fixture.blobs.delete(`${tenant.tenantId}/${documentId}`);
      await requestVersion(documentId, 2);
      await eventually('version 2 has failed', async () => {
        const [job] = await tenant.rows<{ state: string }>(
          'SELECT state FROM ingestion_jobs WHERE tenant_id = $1 AND document_id = $2 AND version = 2',
          documentId,
        );
        return job?.state === 'failed';
      });
      expect(await state(documentId)).toBe('ready 1 of 1');
    });
  });

  it('recounts the terms of a tenant after changes', async () => {
    service = await fixture.start();
    const count = async (): Promise<number | undefined> => {
      const [row] = await tenant.rows<{ count: number }>(
        'SELECT chunk_count AS count FROM lexical_totals WHERE tenant_id = $1',
      );
      return row?.count;
    };
    const { documentId } = await tenant.submit('counted words');
    await eventually('its chunk is counted', async () => (await count()) === 1);
    const terms = await tenant.rows('SELECT term FROM lexical_terms WHERE tenant_id = $1');
    expect(terms.length).toBeGreaterThan(1);
    await tenant.delete(documentId);
    await eventually('nothing is counted', async () => (await count()) === 0);
  });
});
