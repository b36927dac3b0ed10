import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Endpoint } from '../embedded/endpoint-file.js';
import { headersOf, messagesOf, type Message } from './http-channel.js';

export interface PumpOptions {
  input: Readable;
  output: Writable;
  /** The endpoint that answers now; called again when it has gone away. */
  connect: () => Promise<Endpoint>;
  log: (text: string) => void;
  /** What a person types to call a tool that deletes data, for the client to show. */
  confirmingCommand: (tool: string) => string;
}

/** Speaks MCP on stdio for an HTTP endpoint: one line in, one POST; what comes back, line by line. Ends with its input. */
export async function pump(options: PumpOptions): Promise<void> {
  const session = new PumpSession(options);
  const running = new Set<Promise<void>>();
  for await (const line of createInterface({ input: options.input, crlfDelay: Infinity })) {
    if (line.trim() === '') continue;
    const work = session.handle(line).finally(() => running.delete(work));
    running.add(work);
  }
  await Promise.allSettled(running);
}

/** Milliseconds in which a request looks for the next owner. */
const patienceMs = 10_000;
const broken = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

class PumpSession {
  private endpoint: Promise<Endpoint> | undefined;
  private readonly inFlight = new Map<string | number, AbortController>();

  constructor(private readonly options: PumpOptions) {}

  async handle(line: string): Promise<void> {
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      return this.write({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32700, message: 'Parse error: the line is no JSON' },
      });
    }
    // Over HTTP a request is cancelled by closing it.
    if (message.method === 'notifications/cancelled') return this.cancel(message.params?.requestId);
    await this.forward(message, line);
  }

  private cancel(requestId: string | number | undefined): void {
    if (requestId !== undefined) this.inFlight.get(requestId)?.abort();
  }

  private async forward(message: Message, line: string): Promise<void> {
    const abort = new AbortController();
    const id = message.id;
    if (id !== undefined && id !== null) this.inFlight.set(id, abort);
    try {
      const response = await this.post(message, line, abort.signal);
      if (response.ok || response.status === 202) {
        for await (const answer of messagesOf(response)) this.options.output.write(`${oneLine(answer)}\n`);
      } else {
        await this.refuse(message, response);
      }
    } catch (error) {
      if (abort.signal.aborted) return;
      this.options.log(`a request failed: ${error instanceof Error ? error.message : String(error)}`);
      this.fail(message, -32603, 'The Lectern server does not answer. Start it again, or restart this connection.');
    } finally {
      if (id !== undefined && id !== null) this.inFlight.delete(id);
    }
  }

  /**
   * A broken connection means that the owner has gone, and the request goes to the next one, which takes a killed owner's
   * place once the system has let go of its lock. It may run twice then, which does no harm: what deletes is refused on
   * stdio, and what writes knows what is there already.
   */
  private async post(message: Message, line: string, signal: AbortSignal): Promise<Response> {
    const giveUpAt = Date.now() + patienceMs;
    for (;;) {
      const connecting = (this.endpoint ??= this.options.connect());
      try {
        const endpoint = await connecting;
        return await fetch(endpoint.url, {
          method: 'POST',
          body: line,
          headers: headersOf(message, endpoint.token),
          signal,
        });
      } catch (error) {
        if (signal.aborted) throw error;
        // Another request may have found the next owner already.
        if (this.endpoint === connecting) this.endpoint = undefined;
        if (!isBroken(error) || Date.now() > giveUpAt) throw error;
        await delay(100);
      }
    }
  }

  /** An HTTP error: JSON-RPC ones pass as they are, the others become one. */
  private async refuse(message: Message, response: Response): Promise<void> {
    const text = await response.text();
    const body = parse(text);
    if (body?.jsonrpc === '2.0') {
      this.options.output.write(`${oneLine(text)}\n`);
      return;
    }
    if (body?.error === 'danger_confirmation_required') {
      this.result(
        message,
        `This call deletes data, and a person has to make it. Ask them to run: ${this.options.confirmingCommand(message.params?.name ?? '')}`,
      );
      return;
    }
    const description =
      typeof body?.error_description === 'string' ? body.error_description : `HTTP ${response.status}`;
    this.fail(message, -32000, description);
  }

  private result(message: Message, text: string): void {
    this.write({ jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text }], isError: true } });
  }

  private fail(message: Message, code: number, text: string): void {
    if (message.id === undefined || message.id === null) return;
    this.write({ jsonrpc: '2.0', id: message.id, error: { code, message: text } });
  }

  private write(message: object): void {
    this.options.output.write(`${JSON.stringify(message)}\n`);
  }
}

function isBroken(error: unknown): boolean {
  return broken.has((error as { cause?: { code?: string } }).cause?.code ?? '');
}

/** A message must stay on its line. */
function oneLine(text: string): string {
  return text.includes('\n') ? JSON.stringify(JSON.parse(text)) : text;
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
