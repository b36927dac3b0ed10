import { processTree, type ServerProcess } from '@lectern/e2e';
import type { Redis } from 'ioredis';
import type pg from 'pg';
import type { Sample, Tolerance } from './flatness.js';
import { sumOf } from './metrics.js';

const megabyte = 1024 ** 2;
const memory: Tolerance = { share: 0.1, absolute: 12 };
const liveHeap: Tolerance = { share: 0.05, absolute: 2 };
/** Entries come and go with the calls under way; a leak would add one with every call. */
const underWay: Tolerance = { share: 0.2, absolute: 16 };
const services = { gateway: 'mcp-gateway', retrieval: 'retrieval', ingestion: 'ingestion', embedding: 'embedding' };

/**
 * What is measured, with how much each may grow while it is judged. What has no tolerance has a bound of its own, which
 * is said beside it, or is there to explain the others. A floor is made of the lowest of ten samples in a row: between
 * two collections a heap is full of garbage.
 */
export const series: Record<string, { tolerance?: Tolerance; floor?: true; note?: string }> = {
  'gateway MB': { tolerance: memory },
  'retrieval MB': { tolerance: memory },
  'ingestion MB': { tolerance: memory },
  'embedding MB': { tolerance: memory },
  'embedding children MB': { tolerance: memory },
  'gateway live heap MB': { tolerance: liveHeap, floor: true },
  'retrieval live heap MB': { tolerance: liveHeap, floor: true },
  'ingestion live heap MB': { tolerance: liveHeap, floor: true },
  'embedding live heap MB': { tolerance: liveHeap, floor: true },
  'Redis keys': { tolerance: { share: 0.05, absolute: 10 } },
  'Redis MB without job events': { tolerance: { share: 0.1, absolute: 0.5 } },
  'Redis job events MB': { note: "BullMQ's event stream, which it trims at about 10,000 entries" },
  'stream entries': { tolerance: underWay },
  'stream entries pending': { tolerance: underWay },
  'PostgreSQL connections': { tolerance: { share: 0, absolute: 1 } },
  'PostgreSQL MB': { note: 'dead rows until autovacuum comes' },
  documents: { tolerance: { share: 0, absolute: 5 } },
  'idempotency keys': { note: 'never expire; these calls make none after the first' },
};

interface Sources {
  server: ServerProcess;
  redis: Redis;
  postgres: pg.Client;
  prefix: string;
}

/** Takes samples at a steady pace until it is stopped. */
export class Sampler {
  readonly samples = new Map<string, Sample[]>(Object.keys(series).map((name) => [name, []]));
  private readonly stopping = new AbortController();
  private readonly sources: Sources;
  private readonly intervalMs: number;

  constructor(sources: Sources, intervalMs: number) {
    this.sources = sources;
    this.intervalMs = intervalMs;
  }

  async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const at = performance.now();
      const values = {
        ...this.processes(),
        ...(await this.heaps()),
        ...(await this.redis()),
        ...(await this.postgres()),
      };
      for (const [name, value] of Object.entries(values)) this.samples.get(name)!.push({ at, value });
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, at + this.intervalMs - performance.now())));
    }
  }

  stop(): void {
    this.stopping.abort();
  }

  private processes(): Record<string, number> {
    const megabytes: Record<string, number> = {};
    for (const [name, service] of Object.entries(services)) {
      const { pid } = this.sources.server.processes.find((process) => process.name.startsWith(service))!;
      const [own, ...children] = processTree(pid);
      if (!own) throw new Error(`${service} has ended`);
      megabytes[`${name} MB`] = own.megabytes;
      if (children.length > 0) megabytes[`${name} children MB`] = children.reduce((sum, one) => sum + one.megabytes, 0);
    }
    return megabytes;
  }

  private async heaps(): Promise<Record<string, number>> {
    const used = Object.entries(services).map(async ([name, service]) => {
      const bytes = await sumOf(this.sources.server, 'nodejs_heap_size_used_bytes', `service="${service}"`);
      return [`${name} live heap MB`, bytes / megabyte] as const;
    });
    return Object.fromEntries(await Promise.all(used));
  }

  private async redis(): Promise<Record<string, number>> {
    const { redis, prefix } = this.sources;
    const used = Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
    const events = Number((await redis.memory('USAGE', `{${prefix}}:ingestion:events`, 'SAMPLES', 0)) ?? 0);
    let [entries, pending] = [0, 0];
    for (const key of await streamsOf(redis, prefix)) {
      entries += await redis.xlen(key);
      for (const group of (await redis.xinfo('GROUPS', key)) as unknown[][]) {
        pending += Number(group[group.indexOf('pending') + 1]);
      }
    }
    return {
      'Redis keys': await redis.dbsize(),
      'Redis MB without job events': (used - events) / megabyte,
      'Redis job events MB': events / megabyte,
      'stream entries': entries,
      'stream entries pending': pending,
    };
  }

  private async postgres(): Promise<Record<string, number>> {
    const { rows } = await this.sources.postgres.query<Record<string, string>>(
      `SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid())
                AS "PostgreSQL connections",
              pg_database_size(current_database()) / 1048576.0 AS "PostgreSQL MB",
              (SELECT count(*) FROM documents) AS documents,
              (SELECT count(*) FROM idempotency_keys) AS "idempotency keys"`,
    );
    return Object.fromEntries(Object.entries(rows[0]!).map(([name, value]) => [name, Number(value)]));
  }
}

/** Streams of requests and of replies; those of the job queue are another matter. */
async function streamsOf(redis: Redis, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for (const kind of ['req', 'rep']) {
    for await (const keys of redis.scanStream({ match: `${prefix}:${kind}:*`, count: 1000, type: 'stream' })) {
      found.push(...(keys as string[]));
    }
  }
  return found;
}
