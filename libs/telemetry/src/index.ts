export { createLogger, describeError, type Logger } from './logger.js';
export { attributes } from './attributes.js';
export { collectProcessMetrics, createMetrics, type Metrics } from './metrics.js';
export { injectTrace, SpanKind, withSpan, type SpanOptions, type TraceCarrier } from './tracing.js';
export { startHealthServer, type HealthServer, type HealthServerOptions } from './health-server.js';
export { isReadyNow } from './readiness.js';
export { runProcess, type Closable } from './run-process.js';
