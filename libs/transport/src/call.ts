import type { Caller, Operation, RequestInput, ResponseOf, ServiceName } from '@lectern/contracts';
import type { CustomTransportStrategy, Server } from '@nestjs/microservices';

/** What goes with a call beside its payload. A {@link CallContext} is one, so handlers pass theirs on. */
export interface CallOptions {
  caller: Caller;
  /** Milliseconds since the epoch on this machine's clock; the operation's own timeout may come first. */
  deadline?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** What a handler knows of the call that it answers. */
export interface CallContext {
  readonly caller: Caller;
  /** Milliseconds since the epoch on this machine's clock. */
  readonly deadline: number;
  /** Aborts when the caller is gone or the deadline has passed. */
  readonly signal: AbortSignal;
}

/** Calls operations of other services. Every failure is a ServiceError. */
export interface ServiceClient {
  call<O extends Operation>(operation: O, input: RequestInput<O>, options: CallOptions): Promise<ResponseOf<O>>;
}

/** Carries requests between services: Redis Streams between processes, plain calls within one. */
export interface Transport {
  readonly client: ServiceClient;
  /** The Nest strategy under which a service answers; each call makes another replica. */
  serverFor(service: ServiceName): Server & CustomTransportStrategy;
  isConnected(): Promise<boolean>;
  close(): Promise<void>;
}
