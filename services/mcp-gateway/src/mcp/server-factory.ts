import { McpServer, type CallToolResult, type ServerContext } from '@modelcontextprotocol/server';
import { product } from '../product.js';
import { isEnabled, type AccessMode } from '../tools/access.js';
import type { Progress, Tool } from '../tools/define-tool.js';
import type { ToolRunner } from '../tools/run-tool.js';
import type { ServerFacts } from '../tools/server-facts.js';
import type { Exchange } from './exchange.js';
import { calledTool, type Message } from './messages.js';
import type { Offer } from './offer.js';
import type { RunTool } from './registration.js';
import { describeTool, registrationOf, type ToolRegistration } from './tool-registration.js';

export interface ServerParts {
  readonly offer: Offer;
  readonly runner: ToolRunner;
  readonly mode: AccessMode;
  readonly facts: Omit<ServerFacts, 'tools'>;
}

/** Makes a server for each request: there is no state that a next one could need. */
export class ServerFactory {
  private readonly tools: readonly Tool[];
  /** Built once: converting schemas for each request costs more than all the rest of a call. */
  private readonly registrations: readonly [Tool, ToolRegistration][];
  private readonly facts: ServerFacts;

  constructor(private readonly parts: ServerParts) {
    this.tools = parts.offer.tools.filter((tool) => isEnabled(tool, parts.mode));
    this.registrations = this.tools.map((tool) => [tool, registrationOf(tool)]);
    this.facts = { ...parts.facts, tools: this.tools };
  }

  /** What `tools/list` shows. */
  describeTools(): Record<string, unknown>[] {
    return this.tools.map(describeTool);
  }

  create(exchange: Exchange): McpServer {
    const { messages } = exchange;
    const { name, title, version } = product;
    const { offer } = this.parts;
    const server = new McpServer({ name, title, version }, offer.options);
    const run: RunTool = (tool, args, context) => this.run(tool, args, exchange, context);
    for (const [tool, registration] of this.registrations) {
      if (!needsTool(messages, tool.name)) continue;
      server.registerTool(tool.name, registration, (args, context) => run(tool, args, context));
    }
    offer.register(server, { tools: this.tools, messages, run });
    return server;
  }

  private run(tool: Tool, args: unknown, exchange: Exchange, context: ServerContext): Promise<CallToolResult> {
    const { caller, deadline, confirmed } = exchange;
    const { signal } = context.mcpReq;
    const call = { caller, deadline, signal, confirmed, reportProgress: progressReporter(context) };
    return this.parts.runner.run(tool, args, call, this.facts);
  }
}

/** Registering one tool instead of all halves the cost of a call. */
function needsTool(messages: readonly Message[], name: string): boolean {
  return messages.some((message) => message.method === 'tools/list' || calledTool(message) === name);
}

/** Present when the client asked to be told. A client that is gone needs no progress. */
function progressReporter({ mcpReq }: ServerContext): ((progress: Progress) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return ({ percent, message }) => {
    const params = { progressToken, progress: percent, total: 100, message };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
