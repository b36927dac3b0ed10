import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import type { Tool } from '../tools/define-tool.js';
import type { Message } from './messages.js';

export type RunTool = (tool: Tool, args: unknown, context: ServerContext) => Promise<CallToolResult>;

/** What the server of one request is made for. */
export interface Registration {
  /** The tools of the offer that this server has switched on. */
  readonly tools: readonly Tool[];
  /** Only what these need has to be registered. */
  readonly messages: readonly Message[];
  readonly run: RunTool;
}
