import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export type Era = 'modern' | 'legacy';

/** The official client of today in either of its modes, with a bearer token. */
export async function connectClient(url: string, token: string, era: Era = 'modern'): Promise<Client> {
  const client = new Client(
    { name: 'lectern-e2e', version: '1.0.0' },
    era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {},
  );
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  return client;
}

/** Calls a tool and gives its structured content; a tool error is thrown with its text. */
export async function callTool<Result>(
  client: Client,
  name: string,
  toolArguments: Record<string, unknown>,
): Promise<Result> {
  const result = await client.callTool({ name, arguments: toolArguments });
  if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
  return result.structuredContent as Result;
}
