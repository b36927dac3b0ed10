import type { z } from 'zod';

/** The services that answer operations. The gateway calls; it answers none. */
export const serviceNames = ['retrieval', 'ingestion', 'embedding'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Slots are reserved for `interactive` requests, so that `bulk` work can never make a person wait. */
export const lanes = ['interactive', 'bulk'] as const;
export type Lane = (typeof lanes)[number];

/** One request/reply pair between two services: the only thing they know about each other. */
export interface Operation<Request extends z.ZodObject = z.ZodObject, Response extends z.ZodObject = z.ZodObject> {
  /** `<service>.<verb_noun>`, never reused for another meaning. */
  readonly name: `${ServiceName}.${string}`;
  readonly service: ServiceName;
  readonly lane: Lane;
  /** `safe`: may run again when a replica dies with it; `never`: the caller is told that its outcome is unknown. */
  readonly retry: 'safe' | 'never';
  /** Longest time in milliseconds that a caller waits; the caller's own deadline may be nearer. */
  readonly timeoutMs: number;
  readonly request: Request;
  readonly response: Response;
}

export type RequestOf<O extends Operation> = z.output<O['request']>;
export type ResponseOf<O extends Operation> = z.output<O['response']>;
/** What a caller may pass: fields with a default are optional. */
export type RequestInput<O extends Operation> = z.input<O['request']>;

type OperationSpec<Request extends z.ZodObject, Response extends z.ZodObject> = Omit<
  Operation<Request, Response>,
  'service'
>;

/** Declares an operation. The answering service is the first part of its name. */
export function defineOperation<Request extends z.ZodObject, Response extends z.ZodObject>(
  spec: OperationSpec<Request, Response>,
): Operation<Request, Response> {
  const service = serviceNames.find((name) => spec.name.startsWith(`${name}.`));
  if (!service) throw new Error(`operation ${spec.name} names no service`);
  return Object.freeze({ ...spec, service });
}
