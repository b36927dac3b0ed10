import { ServiceError } from '@lectern/contracts';
import type { EmbedReply, EmbedRequest } from './messages.js';

export type Priority = 'query' | 'passage';

/** A text on its way to a vector. */
export class Work {
  /** Children that died with it. */
  deaths = 0;
  private settled = false;
  private readonly outcome = Promise.withResolvers<EmbedReply>();
  readonly reply = this.outcome.promise;

  constructor(
    readonly request: EmbedRequest,
    readonly priority: Priority,
    private readonly signal: AbortSignal,
  ) {
    if (signal.aborted) this.abandon();
    else signal.addEventListener('abort', this.abandon, { once: true });
  }

  /** Nobody waits for it any more. */
  get isOver(): boolean {
    return this.settled;
  }

  resolve(reply: EmbedReply): void {
    this.settle();
    this.outcome.resolve(reply);
  }

  reject(error: ServiceError): void {
    this.settle();
    this.outcome.reject(error);
  }

  private readonly abandon = (): void => {
    this.reject(new ServiceError('timeout', 'The text was given up before its vector was computed.'));
  };

  private settle(): void {
    this.settled = true;
    this.signal.removeEventListener('abort', this.abandon);
  }
}

type Taker = (work: Work | undefined) => void;

/** Texts that wait for a child: queries before passages, each kind in the order of its arrival. */
export class WorkQueue {
  private readonly waiting: Record<Priority, Work[]> = { query: [], passage: [] };
  private readonly takers: Taker[] = [];

  /** Work that a child died with goes to the front: it has waited already. */
  add(work: Work): void {
    const taker = this.takers.shift();
    if (taker) taker(work);
    else if (work.deaths > 0) this.waiting[work.priority].unshift(work);
    else this.waiting[work.priority].push(work);
  }

  /** The next text that somebody waits for, as soon as there is one; undefined when the signal aborts. */
  take(signal: AbortSignal): Promise<Work | undefined> {
    const work = signal.aborted ? undefined : this.next();
    if (work || signal.aborted) return Promise.resolve(work);
    return new Promise((resolve) => {
      const taker: Taker = (taken) => {
        signal.removeEventListener('abort', leave);
        resolve(taken);
      };
      const leave = (): void => {
        this.takers.splice(this.takers.indexOf(taker), 1);
        resolve(undefined);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.takers.push(taker);
    });
  }

  /** Fails everything that waits. */
  rejectAll(error: ServiceError): void {
    for (const work of [...this.waiting.query.splice(0), ...this.waiting.passage.splice(0)]) work.reject(error);
  }

  private next(): Work | undefined {
    for (const line of [this.waiting.query, this.waiting.passage]) {
      for (let work = line.shift(); work; work = line.shift()) if (!work.isOver) return work;
    }
    return undefined;
  }
}
