import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from '../http/http-error.js';

export interface OriginRules {
  /** `name`, `name:port`, `name:*`, or `*` for any. */
  readonly hosts: readonly string[];
  /** `scheme://name`, `scheme://name:port` or `scheme://name:*`. */
  readonly origins: readonly string[];
  readonly publicUrl?: string | undefined;
}

const corsAllowedHeaders =
  'Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID, ' +
  'X-MCP-Confirm, X-Request-Id';

/**
 * Keeps web pages of others away: a page that has its name rebound to this address is stopped by its Host header (421),
 * any other page by its Origin (403). Requests without an Origin come from no page and pass.
 */
export class OriginGuard {
  private readonly hosts: readonly RegExp[];
  private readonly origins: readonly RegExp[];
  private readonly anyHost: boolean;

  constructor(rules: OriginRules) {
    const publicUrl = rules.publicUrl === undefined ? undefined : new URL(rules.publicUrl);
    this.anyHost = rules.hosts.includes('*');
    this.hosts = [...rules.hosts, ...(publicUrl ? [publicUrl.host] : [])].map(hostPattern);
    this.origins = [...rules.origins, ...(publicUrl ? [publicUrl.origin] : [])].map(originPattern);
  }

  /** Throws the {@link HttpError} of a request that must not be answered; sets the CORS headers of one that may. */
  check(request: IncomingMessage, response: ServerResponse): void {
    const host = request.headers.host ?? '';
    if (!this.anyHost && !this.hosts.some((pattern) => pattern.test(host))) {
      throw new HttpError(421, 'misdirected_request', 'This Host is not served here; see MCP_ALLOWED_HOSTS.');
    }
    const { origin } = request.headers;
    if (origin === undefined) return;
    if (!this.origins.some((pattern) => pattern.test(origin))) {
      throw new HttpError(403, 'invalid_origin', 'This Origin may not call; see MCP_ALLOWED_ORIGINS.');
    }
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('vary', 'Origin');
    response.setHeader('access-control-expose-headers', 'WWW-Authenticate, X-Request-Id, Retry-After');
  }

  /** Answers the question of a browser whether it may send a request. True when this was one. */
  answerPreflight(request: IncomingMessage, response: ServerResponse): boolean {
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    if (!isPreflight) return false;
    response.setHeader('access-control-allow-methods', 'GET, POST, OPTIONS');
    response.setHeader('access-control-allow-headers', corsAllowedHeaders);
    response.setHeader('access-control-max-age', '600');
    response.statusCode = 204;
    response.end();
    return true;
  }
}

/** A name alone allows every port. */
function hostPattern(rule: string): RegExp {
  const [, name = rule, port = '*'] = /^(\[[^\]]*\]|[^:]*)(?::(.+))?$/.exec(rule) ?? [];
  return new RegExp(`^${escape(name)}${portPattern(port)}$`, 'i');
}

function originPattern(rule: string): RegExp {
  const [, origin = rule, port] = /^([a-z][a-z0-9+.-]*:\/\/(?:\[[^\]]*\]|[^:]*))(?::(.+))?$/i.exec(rule) ?? [];
  return new RegExp(`^${escape(origin)}${port === undefined ? '' : portPattern(port)}$`, 'i');
}

function portPattern(port: string): string {
  return port === '*' ? '(:\\d+)?' : `:${escape(port)}`;
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
