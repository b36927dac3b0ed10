import type { Era } from './client.js';

/** An answer as it comes over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface RawCall {
  readonly url: string;
  readonly token: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** legacy unless given. */
  readonly era?: Era;
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes the bytes of the body; UTF-8 unless given. */
  readonly encode?: (json: string) => Uint8Array;
}

const modernVersion = '2026-07-28';

/** One request by hand, as a script without an SDK sends it: status and bytes are seen as they are. */
export async function rawCall(call: RawCall): Promise<RawAnswer> {
  const { url, token, method, params, era = 'legacy', headers, encode = Buffer.from } = call;
  const envelope = era === 'modern' ? modernEnvelope(method, params) : { headers: {}, params };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      ...envelope.headers,
      ...headers,
    },
    body: encode(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: envelope.params })),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The call of a tool in the same way. */
export function rawToolCall(
  call: Omit<RawCall, 'method' | 'params'> & { readonly name: string; readonly arguments: unknown },
): Promise<RawAnswer> {
  const { name, arguments: toolArguments, ...rest } = call;
  return rawCall({ ...rest, method: 'tools/call', params: { name, arguments: toolArguments } });
}

/** What a modern request says of itself in each call, in headers and in `_meta`. */
function modernEnvelope(
  method: string,
  params: Readonly<Record<string, unknown>>,
): { headers: Record<string, string>; params: Record<string, unknown> } {
  const target = params.name ?? params.uri;
  return {
    headers: {
      'mcp-protocol-version': modernVersion,
      'mcp-method': method,
      ...(typeof target === 'string' ? { 'mcp-name': target } : {}),
    },
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': modernVersion,
        'io.modelcontextprotocol/clientInfo': { name: 'lectern-e2e', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
}

/** The parts of a tool's answer that both eras have. */
export interface RawToolResult<Output> {
  readonly isError?: boolean;
  readonly content: { text: string }[];
  readonly structuredContent?: Output;
}

/** The result of a call that was answered as a tool; throws with what came instead. */
export function toolResultOf<Output>({ status, text }: RawAnswer): RawToolResult<Output> {
  const { result } = JSON.parse(text) as { result?: RawToolResult<Output> };
  if (status !== 200 || !result) throw new Error(`${status} ${text}`);
  return result;
}
