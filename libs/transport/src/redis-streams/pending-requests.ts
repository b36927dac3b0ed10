import type { CallEnd } from '../call-end.js';
import type { OutgoingRequest, Reply } from '../channel.js';

/** A request on its way. */
export class PendingRequest {
  /** Ids under which it was sent: one that Redis has lost goes again under another. */
  readonly ids: string[] = [];
  /** True once Redis may have it. */
  sent = false;
  /** True while Redis has it for all we know. */
  queued = false;
  readonly reply: Promise<Reply>;
  resolve!: (reply: Reply) => void;
  reject!: (error: Error) => void;

  /** @param expiresAt milliseconds since the epoch on Redis' clock. */
  constructor(
    readonly request: OutgoingRequest,
    readonly expiresAt: number,
    readonly end: CallEnd,
  ) {
    this.reply = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

/** The requests that wait for their replies, by every id under which they were sent. */
export class PendingRequests {
  private readonly byId = new Map<string, PendingRequest>();

  get size(): number {
    return this.byId.size;
  }

  get(id: string): PendingRequest | undefined {
    return this.byId.get(id);
  }

  add(id: string, pending: PendingRequest): void {
    pending.ids.push(id);
    this.byId.set(id, pending);
  }

  remove(pending: PendingRequest): void {
    for (const id of pending.ids) this.byId.delete(id);
  }

  /** Those that Redis had when it was emptied; from now on they count as not queued. */
  takeLost(): PendingRequest[] {
    const lost = new Set([...this.byId.values()].filter((pending) => pending.queued));
    for (const pending of lost) pending.queued = false;
    return [...lost];
  }

  rejectAll(error: Error): void {
    for (const pending of this.byId.values()) pending.reject(error);
    this.byId.clear();
  }
}
