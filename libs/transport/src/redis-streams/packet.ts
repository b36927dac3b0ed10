import { scopes, wireErrorSchema, type Caller } from '@lectern/contracts';
import { z } from 'zod';

/**
 * What a request carries beside its payload. Shapes alone are checked: a service of ours has signed it, and has held it
 * against the bounds of what it was made of.
 */
export const requestHeaderSchema = z.object({
  id: z.string(),
  operation: z.string(),
  caller: z.object({
    tenantId: z.string(),
    subject: z.string(),
    scopes: z.array(z.enum(scopes)),
    requestId: z.string(),
  }) satisfies z.ZodType<Caller>,
  trace: z.object({ traceparent: z.string().optional(), tracestate: z.string().optional() }),
  /** Key of the stream that takes the reply. */
  replyTo: z.string(),
  /** Milliseconds since the epoch on Redis' clock, past which the request must not run. */
  expiresAt: z.number(),
});
export type RequestHeader = z.output<typeof requestHeaderSchema>;

/** The replies of one packet, in the order in which their payloads follow each other. */
export const replyHeadersSchema = z.array(
  z.object({
    /** Id of the request. */
    id: z.string(),
    /** Length of the payload. */
    bytes: z.number(),
    /** Absent when the reply is the payload. */
    error: wireErrorSchema.optional(),
  }),
);
export type ReplyHeader = z.output<typeof replyHeadersSchema>[number];

/** The field of a stream's entry that holds a packet. One letter long, since it travels with every message. */
export const packetField = 'p';

/** An entry of a request or reply stream. */
export interface StreamEntry {
  id: string;
  /** Sealed. */
  packet: Buffer;
}

/** An entry as the driver's Buffer calls give it; undefined when it holds no packet. */
export function parseEntry([id, fields]: [Buffer, Buffer[] | null]): StreamEntry | undefined {
  const [name, packet] = fields ?? [];
  return packet && name?.toString() === packetField ? { id: id.toString(), packet } : undefined;
}
