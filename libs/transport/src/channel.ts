import type { Caller, Operation, WireError } from '@lectern/contracts';
import type { TraceCarrier } from '@lectern/telemetry';
import type { CallEnd } from './call-end.js';

/** A request as a channel carries it. */
export interface OutgoingRequest {
  operation: Operation;
  payload: Buffer;
  caller: Caller;
  /** Milliseconds that the request may still take. */
  timeToLiveMs: number;
  trace: TraceCarrier;
}

export type Reply = { ok: true; payload: Buffer } | { ok: false; error: WireError };

/** The client half of a transport: one request out, one reply back. */
export interface RequestChannel {
  /**
   * Rejects with a ServiceError when no reply can come; with the reason of the end when that comes first, after telling
   * the server so.
   */
  request(request: OutgoingRequest, end: CallEnd): Promise<Reply>;
}
