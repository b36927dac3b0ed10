import { callerSchema, wireErrorSchema } from '@lectern/contracts';
import { z } from 'zod';

/** What a request carries beside its payload. */
export const requestHeaderSchema = z.object({
  id: z.uuid(),
  operation: z.string().max(200),
  caller: callerSchema,
  trace: z.record(z.string(), z.string()),
  /** Key of the stream that takes the reply. */
  replyTo: z.string().max(300),
  /** Milliseconds since the epoch on Redis' clock, past which the request must not run. */
  expiresAt: z.number(),
});
export type RequestHeader = z.output<typeof requestHeaderSchema>;

/** The replies of one packet, in the order in which their payloads follow each other. */
export const replyHeadersSchema = z.array(
  z.object({
    /** Id of the request. */
    id: z.uuid(),
    /** Length of the payload. */
    bytes: z.int().nonnegative(),
    /** Absent when the reply is the payload. */
    error: wireErrorSchema.optional(),
  }),
);
export type ReplyHeader = z.output<typeof replyHeadersSchema>[number];

/** An entry of a request or reply stream. Field names are one letter long, since they travel with every message. */
export interface StreamEntry {
  id: string;
  header: string;
  payload: Buffer;
  signature: Buffer;
}

/** An entry as the driver's Buffer calls give it; undefined when fields are missing. */
export function parseEntry([id, fields]: [Buffer, Buffer[] | null]): StreamEntry | undefined {
  const found = new Map<string, Buffer>();
  for (let index = 0; index + 1 < (fields?.length ?? 0); index += 2) {
    found.set(String(fields?.[index]), fields?.[index + 1] as Buffer);
  }
  const [header, payload, signature] = [found.get('h'), found.get('p'), found.get('s')];
  if (!header || !payload || !signature) return undefined;
  return { id: id.toString(), header: header.toString('utf8'), payload, signature };
}
