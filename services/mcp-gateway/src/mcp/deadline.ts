import type { ServerResponse } from 'node:http';
import { sendJson } from '../http/http-error.js';

type RequestId = string | number;

/** The code that SDKs use for a request that took too long. */
const requestTimeoutCode = -32_001;

/**
 * Writes the answer of an exchange and ends it at its deadline, whatever the handlers are doing: with status 504 while
 * no byte has left, with a JSON-RPC error for each open request in a stream that has begun.
 */
export class DeadlineWriter {
  /** Aborts when the client is gone or the deadline has passed. */
  readonly signal: AbortSignal;
  private readonly abort = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly open: Set<RequestId>;
  private expired = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly options: { deadline: number; requestId: string; open: readonly RequestId[] },
  ) {
    this.signal = this.abort.signal;
    this.open = new Set(options.open);
    response.on('close', () => {
      clearTimeout(this.timer);
      if (!response.writableFinished) this.abort.abort(new Error('the client is gone'));
    });
    this.timer = setTimeout(() => this.expire(), Math.max(0, options.deadline - Date.now()));
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
    } finally {
      clearTimeout(this.timer);
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
    this.abort.abort(new DOMException('the deadline has passed', 'TimeoutError'));
  }
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}
