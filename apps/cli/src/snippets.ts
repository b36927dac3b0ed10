/** What a person pastes into a client, with absolute paths: desktop clients have neither a PATH nor a folder of ours. */
export interface SnippetOptions {
  url: string;
  token: string;
  /** Absolute path of the Node 24 binary. */
  node: string;
  /** Absolute path of the command's entry file. */
  entry: string;
  dataDir: string;
}

export interface Snippet {
  client: string;
  where: string;
  text: string;
}

export function snippets(options: SnippetOptions): Snippet[] {
  const { url, token, node, entry, dataDir } = options;
  const local = { command: node, args: [entry, 'stdio'], env: { LECTERN_DATA_DIR: dataDir } };
  const remote = { url, headers: { Authorization: `Bearer ${token}` } };
  const json = (value: unknown): string => JSON.stringify(value, null, 2);
  return [
    {
      client: 'Claude Desktop',
      where: 'claude_desktop_config.json',
      text: json({ mcpServers: { lectern: local } }),
    },
    { client: 'Cursor', where: '~/.cursor/mcp.json', text: json({ mcpServers: { lectern: remote } }) },
    {
      client: 'Cherry Studio',
      where: 'Settings → MCP Servers → Import from JSON',
      text: json({
        mcpServers: {
          lectern: { name: 'Lectern', type: 'streamableHttp', baseUrl: url, headers: remote.headers, isActive: true },
        },
      }),
    },
  ];
}

/** A search by hand. */
export function curlLine(url: string, token: string): string {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search_knowledge_base', arguments: { query: '怎样备份 Lectern?' } },
  };
  return [
    `curl -s ${url}`,
    `-H 'Authorization: Bearer ${token}'`,
    "-H 'Content-Type: application/json'",
    "-H 'Accept: application/json'",
    `-d '${JSON.stringify(body)}'`,
  ].join(' \\\n  ');
}
