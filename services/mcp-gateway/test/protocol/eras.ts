import { modernRequest } from '../gateway-fixture.js';

export interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** How clients of one protocol era speak. */
export interface Era {
  readonly column: 'legacy' | 'modern';
  readonly client: string;
  /** Whether the answer may come as a stream, which a client that takes plain JSON alone never gets. */
  readonly streams: boolean;
  /** The revision that its requests name. */
  readonly revision: string;
  readonly otherRevision: string;
  request(method: string, params?: Record<string, unknown>, revision?: string): Sent;
}

const legacyRevision = '2025-11-25';
const modernRevision = '2026-07-28';

export const eras: readonly Era[] = [
  legacy('a legacy client', 'application/json, text/event-stream'),
  legacy('a legacy script that takes plain JSON', 'application/json'),
  {
    column: 'modern',
    client: 'a modern client',
    streams: true,
    revision: modernRevision,
    otherRevision: legacyRevision,
    request(method, params = {}, revision = modernRevision) {
      const { headers, body } = modernRequest(method, params, revision);
      return { body, headers: { ...headers, ...nameHeader(params) } };
    },
  },
];

function legacy(client: string, accept: string): Era {
  return {
    ...{ column: 'legacy', client, streams: accept.includes('event-stream') },
    revision: legacyRevision,
    otherRevision: modernRevision,
    request: (method, params = {}, revision = legacyRevision) => ({
      headers: { accept, 'mcp-protocol-version': revision },
      body: { jsonrpc: '2.0', id: 1, method, params },
    }),
  };
}

function nameHeader({ name }: Record<string, unknown>): Record<string, string> {
  return typeof name === 'string' ? { 'mcp-name': name } : {};
}

/** A call of a tool, with what else its parameters hold. */
export function call(era: Era, name: string, args: Record<string, unknown> = {}, more: object = {}): Sent {
  return era.request('tools/call', { name, arguments: args, ...more });
}

/** The same with other headers; undefined leaves one out. */
export function withHeaders({ headers, body }: Sent, changed: Record<string, string | undefined>): Sent {
  const entries = Object.entries({ ...headers, ...changed }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return { body, headers: Object.fromEntries(entries) };
}
