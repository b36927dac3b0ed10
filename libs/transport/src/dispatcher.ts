import { randomUUID } from 'node:crypto';
import { isServiceError, ServiceError, toServiceError, type Caller, type Operation } from '@lectern/contracts';
import { attributes, SpanKind, withSpan, type Logger, type Metrics, type TraceCarrier } from '@lectern/telemetry';
import type { MessageHandler, Server } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import type { CallContext } from './call.js';
import type { CallEnd } from './call-end.js';
import type { Reply } from './channel.js';
import { decodePayload, encodePayload, maxPayloadBytes } from './payload-codec.js';
import { invalidRequest, timedOut } from './service-client.js';

export interface IncomingRequest {
  operation: string;
  payload: Buffer;
  caller: Caller;
  trace: TraceCarrier;
  /** Milliseconds that are left. */
  timeToLiveMs: number;
  /** Ends when the caller is gone or the time is up. */
  end: CallEnd;
}

/** Runs the handler of an operation and makes a reply of whatever happens. Never rejects. */
export class Dispatcher {
  constructor(
    private readonly server: Server,
    private readonly logger: Logger,
    private readonly metrics: Metrics,
  ) {}

  /** The declared operation of a name, if this service answers it. */
  operation(name: string): Operation | undefined {
    return this.server.getHandlers().get(name)?.extras?.operation as Operation | undefined;
  }

  async dispatch(request: IncomingRequest): Promise<Reply> {
    // By name and not by Nest's pattern, whose parsing would cost more than all else here.
    const handler = this.server.getHandlers().get(request.operation);
    const operation = handler?.extras?.operation as Operation | undefined;
    if (!handler || !operation) {
      return failure(new ServiceError('invalid_request', 'The service does not know this operation.'));
    }
    const deadline = Date.now() + request.timeToLiveMs;
    const startedAt = performance.now();
    const span = {
      kind: SpanKind.SERVER,
      parent: request.trace,
      attributes: {
        [attributes.operation]: operation.name,
        [attributes.tenant]: request.caller.tenantId,
        [attributes.requestId]: request.caller.requestId,
      },
    };
    const reply = await withSpan(operation.name, span, () => this.run(handler, operation, request, deadline)).catch(
      (error: unknown) => failure(this.explain(error, operation, request, deadline)),
    );
    const code = reply.ok ? 'ok' : reply.error.code;
    this.metrics.operationDuration.observe({ operation: operation.name, code }, (performance.now() - startedAt) / 1000);
    return reply;
  }

  private async run(
    handler: MessageHandler,
    operation: Operation,
    request: IncomingRequest,
    deadline: number,
  ): Promise<Reply> {
    const parsed = operation.request.safeParse(decodePayload(request.payload));
    if (!parsed.success) throw invalidRequest(parsed.error.issues);
    const call: CallContext = {
      caller: request.caller,
      deadline,
      get signal() {
        return request.end.signal;
      },
    };
    const answer: unknown = await handler(parsed.data, call);
    const result = isObservable(answer) ? await lastValueFrom(answer) : answer;
    const payload = encodePayload(operation.response.parse(result));
    if (payload.length > maxPayloadBytes) {
      throw new ServiceError('invalid_request', 'The answer would be too large. Ask for less at a time.');
    }
    return { ok: true, payload };
  }

  private explain(error: unknown, operation: Operation, request: IncomingRequest, deadline: number): ServiceError {
    if (isServiceError(error)) return error;
    if (request.end.reason || Date.now() >= deadline || isAbort(error)) return timedOut(operation);
    const errorId = randomUUID();
    this.logger.error(
      { err: error, errorId, operation: request.operation, requestId: request.caller.requestId },
      'operation failed',
    );
    return toServiceError(error, errorId);
  }
}

/** An error as a reply. */
export function failure(error: ServiceError): Reply {
  return { ok: false, error: error.toWire() };
}

/** What an aborted signal throws: its handler gave up because its caller or its time was gone. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}
