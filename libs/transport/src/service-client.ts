import { ServiceError, type Operation, type RequestInput, type ResponseOf } from '@lectern/contracts';
import { attributes, injectTrace, SpanKind, withSpan } from '@lectern/telemetry';
import type { CallOptions, ServiceClient } from './call.js';
import { CallEnd } from './call-end.js';
import type { Reply, RequestChannel } from './channel.js';
import { decodePayload, encodePayload, maxPayloadBytes } from './payload-codec.js';

/** Typed calls over any channel: parsing, deadline, cancelling and errors are the same for all of them. */
export class ChannelClient implements ServiceClient {
  constructor(private readonly channel: RequestChannel) {}

  call<O extends Operation>(operation: O, input: RequestInput<O>, options: CallOptions): Promise<ResponseOf<O>> {
    const span = {
      kind: SpanKind.CLIENT,
      attributes: { [attributes.operation]: operation.name, [attributes.requestId]: options.caller.requestId },
    };
    return withSpan(`call ${operation.name}`, span, async () => {
      const payload = encodeRequest(operation, input);
      const reply = await this.exchange(operation, payload, options);
      if (!reply.ok) throw ServiceError.fromWire(reply.error);
      return decodeResponse(operation, reply.payload);
    });
  }

  private async exchange(operation: Operation, payload: Buffer, options: CallOptions): Promise<Reply> {
    const timeToLiveMs = Math.min(operation.timeoutMs, (options.deadline ?? Infinity) - Date.now());
    if (options.signal?.aborted) throw cancelled(operation);
    if (timeToLiveMs <= 0) throw timedOut(operation);
    const end = new CallEnd();
    const timer = setTimeout(() => end.end(timedOut(operation)), timeToLiveMs);
    const leave = (): void => end.end(cancelled(operation));
    options.signal?.addEventListener('abort', leave, { once: true });
    const request = { operation, payload, caller: options.caller, timeToLiveMs, trace: injectTrace() };
    try {
      return await this.channel.request(request, end);
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', leave);
    }
  }
}

function encodeRequest<O extends Operation>(operation: O, input: RequestInput<O>): Buffer {
  const parsed = operation.request.safeParse(input);
  if (!parsed.success) throw invalidRequest(parsed.error.issues);
  const payload = encodePayload(parsed.data);
  if (payload.length > maxPayloadBytes) {
    throw new ServiceError(
      'invalid_request',
      `The request has ${payload.length} bytes; at most ${maxPayloadBytes} are accepted.`,
    );
  }
  return payload;
}

function decodeResponse<O extends Operation>(operation: O, payload: Buffer): ResponseOf<O> {
  try {
    return operation.response.parse(decodePayload(payload)) as ResponseOf<O>;
  } catch (cause) {
    throw new ServiceError('internal', `The answer of ${operation.name} does not fit its contract.`, { cause });
  }
}

/** Names the fields that are wrong, never their values. */
export function invalidRequest(issues: readonly { path: PropertyKey[]; message: string }[]): ServiceError {
  const faults = issues.map((issue) => `${issue.path.map(String).join('.') || 'request'}: ${issue.message}`);
  return new ServiceError('invalid_request', faults.join('; '));
}

/** What a caller is told when no answer came in time. */
export function timedOut(operation: Operation): ServiceError {
  return operation.retry === 'safe'
    ? new ServiceError('timeout', 'The answer did not come in time. Try again.')
    : new ServiceError(
        'outcome_unknown',
        'The answer did not come in time, and it is unknown whether the change was made. Look before you repeat it.',
      );
}

function cancelled(operation: Operation): ServiceError {
  return new ServiceError('timeout', `The caller gave up ${operation.name} before its answer came.`);
}
