import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@lectern/telemetry';
import { createMcpHandler, SUPPORTED_PROTOCOL_VERSIONS, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { Authenticator } from '../auth/authenticator.js';
import { isConfirmed } from '../auth/confirmation.js';
import { HttpError, sendJson } from '../http/http-error.js';
import { RequestTime } from '../http/request-time.js';
import { product } from '../product.js';
import type { AccessMode } from '../tools/access.js';
import { checkedMessages } from './check-messages.js';
import { DeadlineWriter } from './deadline.js';
import { exchangeOf, toAuthInfo, type Exchange } from './exchange.js';
import { refuseBeforehand } from './gate.js';
import { answerLegacyJson, wantsLegacyJson } from './legacy-json.js';
import { requestIdsOf } from './messages.js';
import type { Offer } from './offer.js';
import { readJson } from './read-json.js';
import type { ServerFactory } from './server-factory.js';

export interface EndpointParts {
  readonly authenticator: Authenticator;
  readonly offer: Offer;
  readonly servers: ServerFactory;
  readonly mode: AccessMode;
  readonly basePath: string;
  readonly requestTimeoutMs: number;
  readonly logger: Logger;
}

/** The SDK serves it but names the older ones alone. */
const modernProtocolVersion = '2026-07-28';

/** Tools get a moment longer than the request, so that it is always the request whose time is up first. */
const toolMarginMs = 250;

/** The MCP endpoint. It runs in front of Nest's body parser, which would answer faulty bodies in its own words. */
export class McpEndpoint {
  private readonly handler: McpHttpHandler;

  constructor(private readonly parts: EndpointParts) {
    this.handler = createMcpHandler(({ authInfo }) => parts.servers.create(exchangeOf(authInfo)), {
      onerror: (error) => parts.logger.debug({ err: error }, 'mcp exchange'),
    });
  }

  /** True for the paths that {@link handle} answers. */
  serves(path: string): boolean {
    return path === this.parts.basePath || path === `${this.parts.basePath}/tools`;
  }

  /** Answers a request, or throws the {@link HttpError} to answer with. */
  async handle(request: IncomingMessage, response: ServerResponse, path: string, requestId: string): Promise<void> {
    const time = new RequestTime(response, this.parts.requestTimeoutMs);
    const { principal, token } = await this.parts.authenticator.authenticate(request.headers.authorization, time);
    const isEndpoint = path === this.parts.basePath;
    if (request.method === 'POST' && isEndpoint) {
      return this.answer(request, response, time, {
        caller: { ...principal, requestId },
        deadline: time.deadline + toolMarginMs,
        confirmed: isConfirmed(request, token),
      });
    }
    if (request.method !== 'GET') throw methodNotAllowed(isEndpoint ? 'GET, POST' : 'GET');
    if (!isEndpoint) return sendJson(response, 200, { tools: this.parts.servers.describeTools() });
    // A client that asks for the stream of older protocols has to be told that there is none, else it reconnects for ever.
    if (request.headers.accept?.includes('text/event-stream')) throw methodNotAllowed('POST');
    return sendJson(response, 200, this.describeService());
  }

  /** Ends whatever is still open. */
  close(): Promise<void> {
    return this.handler.close();
  }

  private async answer(
    request: IncomingMessage,
    response: ServerResponse,
    time: RequestTime,
    sender: Omit<Exchange, 'messages'>,
  ): Promise<void> {
    const parsedBody = await readJson(request, time);
    const messages = checkedMessages(parsedBody, request.headers['mcp-protocol-version'] === modernProtocolVersion);
    refuseBeforehand(messages, { ...sender, mode: this.parts.mode, tools: this.parts.offer.tools });
    const exchange: Exchange = { ...sender, messages };
    const { requestId } = exchange.caller;
    const writer = new DeadlineWriter(response, time, { requestId, open: requestIdsOf(messages) });
    const webRequest = toWebRequest(request, time.signal);
    const options = { authInfo: toAuthInfo(exchange), parsedBody };
    try {
      const answer = wantsLegacyJson(webRequest, parsedBody)
        ? await answerLegacyJson(this.parts.servers.create(exchange), webRequest, options)
        : await this.handler.fetch(webRequest, options);
      await writer.write(answer);
    } catch (error) {
      if (!time.signal.aborted) throw error;
    }
  }

  private describeService(): Record<string, unknown> {
    const { name, title, version } = product;
    return {
      ...{ name, title, version },
      protocolVersion: modernProtocolVersion,
      protocolVersions: [modernProtocolVersion, ...SUPPORTED_PROTOCOL_VERSIONS],
      jsonrpc: '2.0',
      capabilities: { tools: {}, resources: {}, prompts: {} },
      transport: 'http',
      toolCount: this.parts.servers.describeTools().length,
    };
  }
}

/** Without its body, which is handed over parsed, and without its credential, which nobody behind here needs. */
function toWebRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headersDistinct)) {
    for (const item of value ?? []) headers.append(name, item);
  }
  for (const name of ['authorization', 'x-mcp-confirm', 'cookie']) headers.delete(name);
  return new Request('http://localhost/', { method: 'POST', headers, signal });
}

function methodNotAllowed(allow: string): HttpError {
  return new HttpError(405, 'method_not_allowed', `This method is not served here; use ${allow}.`, { allow });
}
