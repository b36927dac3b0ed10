import {
  classifyInboundRequest,
  WebStandardStreamableHTTPServerTransport,
  type AuthInfo,
  type McpServer,
} from '@modelcontextprotocol/server';

/** Whether a client of the 2025 protocol or older wants a plain JSON answer: one that does not accept a stream. */
export function wantsLegacyJson(request: Request, body: unknown): boolean {
  if (request.headers.get('accept')?.includes('text/event-stream')) return false;
  return classifyInboundRequest({ httpMethod: request.method, ...standardHeaders(request), body }).kind === 'legacy';
}

/** Answers such a client with a server of its own, as scripts without an SDK expect. */
export async function answerLegacyJson(
  server: McpServer,
  request: Request,
  options: { authInfo: AuthInfo; parsedBody: unknown },
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  await server.connect(transport);
  // The transport answers when all is done, and never once the client is gone.
  const gone = new Promise<never>((_, reject) => {
    request.signal.addEventListener('abort', () => reject(request.signal.reason as Error), { once: true });
  });
  try {
    request.headers.set('accept', 'application/json, text/event-stream');
    return await Promise.race([transport.handleRequest(request, options), gone]);
  } finally {
    await server.close();
  }
}

function standardHeaders({ headers }: Request): {
  protocolVersionHeader?: string;
  mcpMethodHeader?: string;
  mcpNameHeader?: string;
} {
  const version = headers.get('mcp-protocol-version');
  const method = headers.get('mcp-method');
  const name = headers.get('mcp-name');
  return {
    ...(version === null ? {} : { protocolVersionHeader: version }),
    ...(method === null ? {} : { mcpMethodHeader: method }),
    ...(name === null ? {} : { mcpNameHeader: name }),
  };
}
