import { trace } from '@opentelemetry/api';
import pino, { type Logger } from 'pino';

export type { Logger };

/** A logger of JSON lines on stderr (stdout may be a protocol channel), each with the trace id of its call. */
export function createLogger(options: { service: string; level: string }): Logger {
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => {
        const span = trace.getActiveSpan()?.spanContext();
        return span ? { traceId: span.traceId, spanId: span.spanId } : {};
      },
      serializers: { err: describeError },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}

/**
 * The name, code and stack of an error and of its causes. Messages of drivers may quote values, so only the frames of
 * a stack are kept.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const frames = error.stack?.split('\n').filter((line) => line.trimStart().startsWith('at ')) ?? [];
  return {
    type: error.name,
    ...('code' in error ? { code: error.code } : {}),
    stack: frames.join('\n'),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}
