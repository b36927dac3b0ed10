/** A JSON-RPC message; only what the pump looks at. */
export interface Message {
  id?: string | number | null;
  method?: string;
  params?: { name?: string; uri?: string; requestId?: string | number; _meta?: Record<string, unknown> };
  [field: string]: unknown;
}

const versionKey = 'io.modelcontextprotocol/protocolVersion';

/**
 * The headers that a message needs over HTTP. Messages of the 2026-07-28 protocol name their version in `_meta` and
 * repeat method and name in headers (SEP-2243); older ones need nothing beyond the content types.
 */
export function headersOf(message: Message, token: string): Record<string, string> {
  const version = message.params?._meta?.[versionKey];
  const name = message.params?.name ?? message.params?.uri;
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${token}`,
    ...(typeof version === 'string' ? { 'mcp-protocol-version': version } : {}),
    ...(typeof version === 'string' && message.method ? { 'mcp-method': message.method } : {}),
    ...(typeof version === 'string' && typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {}),
  };
}

/** Header values are ASCII; anything else travels in the base64 form that the protocol defines for them. */
function headerValue(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** The JSON-RPC messages of a response, as they come. */
export async function* messagesOf(response: Response): AsyncGenerator<string> {
  const type = response.headers.get('content-type') ?? '';
  if (!type.includes('text/event-stream')) {
    const text = await response.text();
    if (text.trim()) yield text;
    return;
  }
  let data: string[] = [];
  for await (const line of linesOf(response)) {
    if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
    else if (line === '' && data.length > 0) {
      yield data.join('\n');
      data = [];
    }
  }
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
