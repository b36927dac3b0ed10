import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@lectern/telemetry';
import type { OriginGuard } from '../auth/origin-guard.js';
import type { McpEndpoint } from '../mcp/endpoint.js';
import { HttpError, internalError, sendHttpError } from './http-error.js';
import { assignRequestId } from './request-id.js';

type Next = () => void;

/** Probes and scrapers call by address, and what they get tells nothing of a tenant. */
const openPaths = new Set(['/livez', '/readyz', '/healthz', '/metrics']);

/** What every request passes first: request id, then host and origin, then the MCP endpoint or the routes of Nest. */
export function createFront(
  guard: OriginGuard,
  endpoint: McpEndpoint,
  logger: Logger,
): (request: IncomingMessage, response: ServerResponse, next: Next) => void {
  const pass = async (request: IncomingMessage, response: ServerResponse, next: Next, requestId: string) => {
    const path = pathOf(request);
    if (!openPaths.has(path)) {
      guard.check(request, response);
      if (guard.answerPreflight(request, response)) return;
    }
    if (endpoint.serves(path)) await endpoint.handle(request, response, path, requestId);
    else next();
  };
  return (request, response, next) => {
    const requestId = assignRequestId(request, response);
    pass(request, response, next, requestId).catch((error: unknown) => {
      // Whoever is gone has failed nothing, and gets no answer.
      if (request.socket.destroyed) return logger.debug({ requestId }, 'the client is gone');
      if (!(error instanceof HttpError)) logger.error({ err: error, requestId }, 'request failed');
      if (response.headersSent) response.end();
      else sendHttpError(response, error instanceof HttpError ? error : internalError(), requestId);
    });
  };
}

/** Without its query, and without a slash at its end, which makes no difference. */
function pathOf({ url = '/' }: IncomingMessage): string {
  const [path = '/'] = url.split('?', 1);
  return path.endsWith('/') ? path.slice(0, -1) : path;
}
