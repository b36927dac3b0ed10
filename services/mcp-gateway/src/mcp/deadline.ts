import type { ServerResponse } from 'node:http';
import { requestTimeoutCode, sendJson } from '../http/http-error.js';
import type { RequestTime } from '../http/request-time.js';

type RequestId = string | number;

/**
 * Writes the answer of an exchange and ends it at its deadline, whatever the handlers are doing: with status 504 while
 * no byte has left, with a JSON-RPC error for each open request in a stream that has begun.
 */
export class DeadlineWriter {
  private readonly open: Set<RequestId>;
  private expired = false;

  constructor(
    private readonly response: ServerResponse,
    time: RequestTime,
    private readonly options: { requestId: string; open: readonly RequestId[] },
  ) {
    this.open = new Set(options.open);
    time.signal.addEventListener('abort', () => time.isPastDeadline && this.expire(), { once: true });
  }

  /** Copies a web response to the client. Its head waits for the first byte of its body, so that a 504 stays possible. */
  async write(answer: Response): Promise<void> {
    try {
      for await (const chunk of answer.body ?? []) {
        if (this.isOver()) return;
        this.writeHead(answer);
        this.noteAnswered(answer, chunk);
        if (!this.response.write(chunk)) await this.drained();
      }
      if (this.isOver()) return;
      this.writeHead(answer);
      this.response.end();
    } catch (error) {
      // A stream that its handler tears down ends here as well.
      if (!this.isOver()) throw error;
    }
  }

  private isOver(): boolean {
    return this.expired || this.response.destroyed;
  }

  private writeHead({ status, headers }: Response): void {
    if (this.response.headersSent) return;
    for (const [name, value] of headers) this.response.setHeader(name, value);
    this.response.writeHead(status);
  }

  private drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.response.off('drain', done);
        this.response.off('close', done);
        resolve();
      };
      this.response.on('drain', done);
      this.response.on('close', done);
    });
  }

  /** Of a legacy batch, some requests may be answered in a stream while others are still open. */
  private noteAnswered(answer: Response, chunk: Uint8Array): void {
    if (this.open.size < 2 || !isEventStream(answer)) return;
    for (const [, data = ''] of Buffer.from(chunk)
      .toString('utf8')
      .matchAll(/^data: (.+)$/gm)) {
      const { id, method } = JSON.parse(data) as { id?: RequestId; method?: string };
      if (id !== undefined && method === undefined) this.open.delete(id);
    }
  }

  private expire(): void {
    this.expired = true;
    // The answer is complete, and on its way to a client that reads slowly.
    if (this.response.writableEnded) return;
    const { requestId } = this.options;
    const errors = [...this.open].map((id) => ({
      jsonrpc: '2.0',
      id,
      error: { code: requestTimeoutCode, message: 'The request took too long. Try again.', data: { requestId } },
    }));
    if (!this.response.headersSent) {
      sendJson(this.response, 504, errors.length === 1 ? errors[0] : errors);
    } else {
      for (const error of errors) this.response.write(`event: message\ndata: ${JSON.stringify(error)}\n\n`);
      this.response.end();
    }
  }
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}
