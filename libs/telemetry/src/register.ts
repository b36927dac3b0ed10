// Loaded with `--import` before anything else, so that the drivers are instrumented when they are first imported. The
// settings are read here and not by a service, since no service runs yet.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { NodeSDK } from '@opentelemetry/sdk-node';
import {
  BatchSpanProcessor,
  NoopSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

const ratio = Number(process.env.TRACE_RATIO || '0.05');
const probes = new Set(['/livez', '/readyz', '/healthz', '/metrics']);

const sdk = new NodeSDK({
  serviceName: process.env.OTEL_SERVICE_NAME ?? 'lectern',
  sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(Number.isFinite(ratio) ? ratio : 0.05) }),
  // Without a collector spans go nowhere, but log lines still carry their trace id.
  spanProcessors: [
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT
      ? new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })
      : new NoopSpanProcessor(),
  ],
  metricReaders: [],
  logRecordProcessors: [],
  instrumentations: [
    new HttpInstrumentation({ ignoreIncomingRequestHook: (request) => probes.has(request.url ?? '') }),
    // Loops that wait for work have no call above them, and would be traced for ever.
    new IORedisInstrumentation({ requireParentSpan: true }),
    new PgInstrumentation({ requireParentSpan: true }),
  ],
});
sdk.start();
