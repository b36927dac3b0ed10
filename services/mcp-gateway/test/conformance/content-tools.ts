import { setTimeout as pause } from 'node:timers/promises';
import { type CallToolResult, type McpServer, type ServerContext } from '@modelcontextprotocol/server';

type Content = CallToolResult['content'];

/** One red pixel. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A header without samples. */
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

const image = { type: 'image', data: png, mimeType: 'image/png' } as const;
const fixed: Record<string, Content> = {
  test_image_content: [image],
  test_audio_content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  test_embedded_resource: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  test_multiple_content_types: [
    { type: 'text', text: 'Multiple content types test:' },
    image,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
};

/** Contents that no tool of ours has, and what else a server may do while it answers. */
export function registerContentTools(server: McpServer): void {
  for (const [name, content] of Object.entries(fixed)) {
    server.registerTool(name, { description: 'Answers a fixed content.' }, () => ({ content }));
  }
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    server.registerTool(name, { description: 'Logs three times, to clients that asked for it.' }, logThrice);
  }
}

async function logThrice({ mcpReq }: ServerContext): Promise<CallToolResult> {
  for (const message of ['started', 'processing data', 'completed']) {
    await mcpReq.log('info', `Tool execution ${message}`);
    await pause(50);
  }
  return { content: [{ type: 'text', text: 'Logged three times.' }] };
}

function resource(uri: string, mimeType: string, text: string): Content[number] {
  return { type: 'resource', resource: { uri, mimeType, text } };
}
