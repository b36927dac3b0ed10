import { ServiceError, type Lane } from '@lectern/contracts';
import type { Logger, Metrics } from '@lectern/telemetry';
import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import type { CallEnd } from '../call-end.js';
import type { OutgoingRequest, Reply } from '../channel.js';
import { Dispatcher } from '../dispatcher.js';
import { slotsOf, type LaneLimits } from '../lane-limits.js';

interface Waiting {
  start: () => void;
}

/** Answers the operations of one service within the process, under the same limits as a replica behind Redis. */
export class InProcessServer extends Server implements CustomTransportStrategy {
  private readonly dispatcher: Dispatcher;
  private readonly running: Record<Lane, number> = { interactive: 0, bulk: 0 };
  private readonly queues: Record<Lane, Waiting[]> = { interactive: [], bulk: [] };
  private idle: (() => void) | undefined;
  private closing: Promise<void> | undefined;

  constructor(
    logger: Logger,
    private readonly metrics: Metrics,
    private readonly limits: LaneLimits,
    private readonly attach: (server: InProcessServer) => void,
    private readonly detach: (server: InProcessServer) => void,
  ) {
    super();
    this.dispatcher = new Dispatcher(this, logger, metrics);
  }

  listen(callback: () => void): void {
    this.attach(this);
    callback();
  }

  /** Takes no more requests and waits for those that it has. */
  close(): Promise<void> {
    this.closing ??= this.drain();
    return this.closing;
  }

  private async drain(): Promise<void> {
    this.detach(this);
    if (this.running.interactive + this.running.bulk === 0) return;
    await new Promise<void>((resolve) => {
      this.idle = resolve;
    });
  }

  on(): void {
    throw new Error('the in-process transport emits no events');
  }

  unwrap<T>(): T {
    throw new Error('the in-process transport wraps no driver');
  }

  /** Waits for a slot of the operation's lane, then runs the request unless its caller is gone by then. */
  async handle(request: OutgoingRequest, end: CallEnd): Promise<Reply> {
    const { lane } = request.operation;
    const arrived = performance.now();
    if (this.closing)
      throw new ServiceError('unavailable', 'The service is stopping. Try again.', { retryAfterMs: 1000 });
    if (this.running[lane] >= slotsOf(this.limits, lane)) await this.queue(lane, end.signal);
    else this.running[lane] += 1;
    this.metrics.transportPending.rise(lane);
    try {
      const waited = performance.now() - arrived;
      this.metrics.transportQueueLag.observe({ lane }, waited / 1000);
      end.signal.throwIfAborted();
      return await this.dispatcher.dispatch({
        operation: request.operation.name,
        payload: request.payload,
        caller: request.caller,
        trace: request.trace,
        timeToLiveMs: request.timeToLiveMs - waited,
        end,
      });
    } finally {
      this.release(lane);
    }
  }

  private queue(lane: Lane, signal: AbortSignal): Promise<void> {
    if (this.queues[lane].length >= this.limits.maxQueue) {
      this.metrics.transportDropped.inc({ reason: 'full' });
      throw new ServiceError('unavailable', 'The service is busy. Try again.', { retryAfterMs: 1000 });
    }
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        start: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      const leave = (): void => {
        this.queues[lane].splice(this.queues[lane].indexOf(entry), 1);
        this.metrics.transportDropped.inc({ reason: 'expired' });
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.queues[lane].push(entry);
    });
  }

  /** Hands the slot to the next in line, or frees it. */
  private release(lane: Lane): void {
    this.metrics.transportPending.fall(lane);
    const next = this.queues[lane].shift();
    if (next) {
      next.start();
      return;
    }
    this.running[lane] -= 1;
    if (this.running.interactive + this.running.bulk === 0) this.idle?.();
  }
}
