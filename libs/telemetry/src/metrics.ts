import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import { BatchedHistogram, Level } from './hot-metrics.js';

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

/**
 * Every metric of the product, with its closed label set. Each service has a registry of its own, so that several can
 * live in one process.
 */
export function createMetrics(service: string) {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  const registers = [registry];
  return {
    registry,
    toolDuration: new Histogram({
      name: 'mcp_tool_duration_seconds',
      help: 'Time from accepting a tool call to its result.',
      labelNames: ['tool', 'permission', 'outcome'] as const,
      buckets: seconds,
      registers,
    }),
    operationDuration: new BatchedHistogram({
      name: 'operation_duration_seconds',
      help: 'Time that a service took to answer an operation.',
      labelNames: ['operation', 'code'] as const,
      buckets: seconds,
      registers,
    }),
    transportPending: new Level({
      name: 'transport_pending',
      help: 'Requests that this replica is running.',
      labelName: 'lane',
      registers,
    }),
    transportQueueLag: new BatchedHistogram({
      name: 'transport_queue_lag_seconds',
      help: 'Time that a request waited in its stream.',
      labelNames: ['lane'] as const,
      buckets: seconds,
      registers,
    }),
    transportDropped: new Counter({
      name: 'transport_dropped_total',
      help: 'Requests that were not run, by reason.',
      labelNames: ['reason'] as const,
      registers,
    }),
    ingestionStageDuration: new Histogram({
      name: 'ingestion_stage_duration_seconds',
      help: 'Time that a stage of ingestion took.',
      labelNames: ['stage', 'outcome'] as const,
      buckets: [...seconds, 60, 120, 300],
      registers,
    }),
    embeddingDuration: new Histogram({
      name: 'embedding_duration_seconds',
      help: 'Time to compute the vectors of one request.',
      labelNames: ['kind'] as const,
      buckets: seconds,
      registers,
    }),
    embeddingCache: new Counter({
      name: 'embedding_cache_total',
      help: 'Look-ups of query vectors.',
      labelNames: ['result'] as const,
      registers,
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Adds what Node tells of its process: once a process, to the registry that its port shows. */
export function collectProcessMetrics(metrics: Metrics): void {
  collectDefaultMetrics({ register: metrics.registry });
}
