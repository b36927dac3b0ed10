import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { cliEntry } from './server-process.js';

export type Era = 'modern' | 'legacy';

function newClient(era: Era): Client {
  return new Client(
    { name: 'lectern-e2e', version: '1.0.0' },
    era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {},
  );
}

/** The official client of today in either of its modes, over HTTP with a bearer token and further headers. */
export async function connectClient(
  url: string,
  token: string,
  era: Era = 'modern',
  headers: Record<string, string> = {},
): Promise<Client> {
  const client = newClient(era);
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers, Authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  return client;
}

/** The same client with `lectern stdio` as its child, as a desktop client would have it. */
export async function connectStdioClient(dataDir: string, era: Era = 'modern'): Promise<Client> {
  const client = newClient(era);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [cliEntry, 'stdio'],
      env: { LECTERN_DATA_DIR: dataDir },
      stderr: 'ignore',
    }),
  );
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
