import type { ServerResponse } from 'node:http';

/** The time of one request: from its arrival until its deadline, or until its client is gone. */
export class RequestTime {
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Aborts when time is up: with a `TimeoutError` at the deadline. */
  readonly signal: AbortSignal;
  private readonly up: Promise<never>;

  /** @param limitMs milliseconds that the request may take. */
  constructor(response: ServerResponse, limitMs: number) {
    this.deadline = Date.now() + limitMs;
    const abort = new AbortController();
    this.signal = abort.signal;
    this.up = new Promise((_, reject) => {
      this.signal.addEventListener('abort', () => reject(this.signal.reason as Error), { once: true });
    });
    // Nobody may be waiting for it.
    this.up.catch(() => undefined);
    const timer = setTimeout(
      () => abort.abort(new DOMException('the deadline has passed', 'TimeoutError')),
      Math.max(0, limitMs),
    );
    response.on('close', () => {
      clearTimeout(timer);
      if (!response.writableFinished) abort.abort(new Error('the client is gone'));
    });
  }

  /** Whether time is up because the deadline has passed. */
  get isPastDeadline(): boolean {
    return (this.signal.reason as Error | undefined)?.name === 'TimeoutError';
  }

  /** What the work gives; rejects with the signal's reason as soon as time is up, while the work may go on. */
  bound<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.up]);
  }
}
