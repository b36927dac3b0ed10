import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

const safeId = /^[A-Za-z0-9._:-]{1,128}$/;

/** The id of a request: the client's when it is harmless in a log line, else a new one. Echoed on the response. */
export function assignRequestId(request: IncomingMessage, response: ServerResponse): string {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && safeId.test(given) ? given : randomUUID();
  response.setHeader('x-request-id', id);
  return id;
}
