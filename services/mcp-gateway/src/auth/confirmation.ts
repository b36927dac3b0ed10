import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hashToken } from '@lectern/database';

/** Header in which whoever holds the credential confirms a danger tool; no model can set it by an argument. */
export const confirmHeader = 'x-mcp-confirm';

/** Whether the request carries its credential a second time, in the header or as `?confirm_token=`. */
export function isConfirmed(request: IncomingMessage, token: string): boolean {
  const header = request.headers[confirmHeader];
  const query = new URL(request.url ?? '/', 'http://localhost').searchParams.get('confirm_token');
  const given = typeof header === 'string' ? header : query;
  // Digests have one length, so that neither length nor content shows in the time that it takes.
  return given !== null && timingSafeEqual(hashToken(given), hashToken(token));
}
