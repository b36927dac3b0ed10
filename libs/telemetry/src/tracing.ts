import {
  context,
  propagation,
  ProxyTracerProvider,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
} from '@opentelemetry/api';

const tracer = trace.getTracer('lectern');

/** Trace context as it travels in packets and jobs: W3C `traceparent` and `tracestate`. */
export type TraceCarrier = Record<string, string>;

/** The current trace context, to be sent along. */
export function injectTrace(): TraceCarrier {
  const carrier: TraceCarrier = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}

export interface SpanOptions {
  attributes?: Attributes;
  kind?: SpanKind;
  /** Trace context that came with a packet or job; absent: the current one. */
  parent?: TraceCarrier | undefined;
}

/** Runs work inside a span, which ends with it and records whether it failed, never why in words. */
export async function withSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const parent = options.parent ? propagation.extract(context.active(), options.parent) : context.active();
  const span = tracer.startSpan(
    name,
    { kind: options.kind ?? SpanKind.INTERNAL, ...(options.attributes ? { attributes: options.attributes } : {}) },
    parent,
  );
  try {
    return await context.with(trace.setSpan(parent, span), () => work(span));
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    if (error instanceof Error) span.setAttribute('error.type', error.name);
    throw error;
  } finally {
    span.end();
  }
}

export { SpanKind };

/** Sends the spans that still wait for their batch; does nothing where no exporter is registered. */
export async function flushTraces(): Promise<void> {
  const provider = trace.getTracerProvider();
  const registered = provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider;
  if ('forceFlush' in registered && typeof registered.forceFlush === 'function') await registered.forceFlush();
}
