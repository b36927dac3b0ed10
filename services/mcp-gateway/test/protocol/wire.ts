import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Sent } from './eras.js';

/** A request under way, of a client that sets every header itself. */
export interface Wire {
  readonly answer: Promise<string>;
  /** Resolves when the answer has begun. */
  begun(): Promise<void>;
  hangUp(): void;
}

/** Posts a message; the answer is told in the words of docs/PROTOCOL.md. */
export function post(url: string, token: string, { headers, body }: Sent): Wire {
  const outgoing = request(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
  });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
  });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  // Of a body that is only announced, nothing follows: what the server refuses is the announcement.
  if (headers['content-length'] === undefined) outgoing.end(text);
  else outgoing.write(text);
  return {
    answer: response.then(async (incoming) => tell(incoming, await readAll(incoming, outgoing))),
    // The head leaves together with the first bytes.
    begun: () => response.then(() => undefined),
    hangUp: () => outgoing.destroy(),
  };
}

async function readAll(incoming: IncomingMessage, outgoing: ClientRequest): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  outgoing.destroy();
  return Buffer.concat(chunks).toString('utf8');
}

interface Answer {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: { readonly isError?: boolean; readonly protocolVersion?: string };
  readonly error?: string | { readonly code: number };
}

function tell({ statusCode, headers }: IncomingMessage, body: string): string {
  const isStream = headers['content-type']?.startsWith('text/event-stream') ?? false;
  const messages = isStream ? eventsOf(body) : ([JSON.parse(body)].flat() as Answer[]);
  return [`\`${statusCode}\``, ...messages.map(tellMessage)].join(', ');
}

function eventsOf(body: string): Answer[] {
  return [...body.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data) as Answer);
}

function tellMessage({ method, result, error }: Answer): string {
  if (method !== undefined) return `\`${method}\``;
  if (typeof error === 'string') return `\`${error}\``;
  if (error) return `JSON-RPC error \`${error.code}\``;
  if (result?.protocolVersion) return `result that offers \`${result.protocolVersion}\``;
  return result?.isError ? 'result with `isError`' : 'result';
}
