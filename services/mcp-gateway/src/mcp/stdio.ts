import { randomUUID } from 'node:crypto';
import type { Caller } from '@lectern/contracts';
import type { Logger, Metrics } from '@lectern/telemetry';
import type { ServiceClient } from '@lectern/transport';
import type { Transport as McpTransport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { AccessMode } from '../tools/access.js';
import { ToolRunner } from '../tools/run-tool.js';
import { ServerFactory } from './server-factory.js';

export interface StdioOptions {
  /** Whoever started the process; there is no credential on stdio. */
  readonly caller: Omit<Caller, 'requestId'>;
  readonly client: ServiceClient;
  /** Must not write to stdout, which is the protocol channel. */
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly mode: AccessMode;
  readonly requestTimeoutSeconds: number;
  /** Instead of the process's own stdin and stdout. */
  readonly transport?: McpTransport;
}

/** Serves MCP of both eras on stdio until its client closes it. Danger tools are refused there: nobody can confirm. */
export function createStdioServer(options: StdioOptions): { close(): Promise<void> } {
  const { client, logger, metrics, mode, requestTimeoutSeconds, transport } = options;
  const servers = new ServerFactory({
    runner: new ToolRunner({ client, logger, metrics, mode }),
    mode,
    facts: { ...mode, transport: 'stdio', basePath: '', requestTimeoutSeconds },
  });
  const source = {
    caller: () => ({ ...options.caller, requestId: randomUUID() }),
    deadline: () => Date.now() + requestTimeoutSeconds * 1000,
    confirmed: false,
  };
  return serveStdio(() => servers.create(source), {
    onerror: (error) => logger.debug({ err: error }, 'mcp connection'),
    ...(transport ? { transport } : {}),
  });
}
