import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  type CallToolResult,
  type McpServer,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import { getDocumentContentTool } from '../tools/catalog/get-document-content.tool.js';
import { listDocumentsTool } from '../tools/catalog/list-documents.tool.js';
import { listKnowledgeBasesTool } from '../tools/catalog/list-knowledge-bases.tool.js';
import type { Tool } from '../tools/define-tool.js';
import { errorMetaKey } from '../tools/tool-result.js';
import type { RunTool } from './registration.js';

/** Resources are other doors to tools, so that access, envelope, metric and log line are the same for both. */
export function registerResources(server: McpServer, tools: readonly Tool[], run: RunTool): void {
  const lists = [
    { uri: 'kb://documents', name: 'documents', tool: listDocumentsTool, args: { limit: 200 } },
    { uri: 'kb://knowledge-bases', name: 'knowledge-bases', tool: listKnowledgeBasesTool, args: {} },
  ];
  for (const { uri, name, tool, args } of lists) {
    if (!tools.includes(tool)) continue;
    const { title, description } = tool;
    server.registerResource(name, uri, { title, description, mimeType: 'application/json' }, async (_, context) => {
      const result = succeeded(await run(tool, args, context), uri);
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(result.structuredContent) }] };
    });
  }
  if (tools.includes(getDocumentContentTool)) registerDocument(server, run);
}

function registerDocument(server: McpServer, run: RunTool): void {
  const { title, description } = getDocumentContentTool;
  server.registerResource(
    'document',
    new ResourceTemplate('kb://documents/{id}', { list: undefined }),
    { title, description, mimeType: 'text/plain' },
    async (uri, { id }, context): Promise<ReadResourceResult> => {
      const args = { document_id: id, limit: 100_000 };
      const result = succeeded(await run(getDocumentContentTool, args, context), uri.href);
      return { contents: [{ uri: uri.href, mimeType: 'text/plain', text: textOf(result) }] };
    },
  );
}

/** A failed run as the error that the protocol has for resources. */
function succeeded(result: CallToolResult, uri: string): CallToolResult {
  if (!result.isError) return result;
  const { code } = (result._meta?.[errorMetaKey] ?? {}) as { code?: string };
  if (code === 'not_found' || code === 'invalid_request') throw new ResourceNotFoundError(uri, textOf(result));
  throw new ProtocolError(ProtocolErrorCode.InternalError, textOf(result));
}

function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
