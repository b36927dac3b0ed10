import type { Logger } from '@lectern/telemetry';
import type { LexiconRepository } from './lexicon.repository.js';

export interface RecounterOptions {
  lexicon: LexiconRepository;
  /** Shortest time in milliseconds between two counts of a tenant, and between a change and its count. */
  pauseMs: number;
  /** Milliseconds between two looks for changes that no process remembers. */
  sweepIntervalMs: number;
  logger: Logger;
}

/** A count takes at most one part in so many of the database's time. */
const restPerWork = 20;
const tenantsAtOnce = 100;

/**
 * Keeps the document frequencies of the lexical leg near the truth, behind the back of ingestion: changes are gathered
 * for a while, and a big tenant, whose count takes long, is counted less often.
 */
export class LexicalRecounter {
  private readonly scheduled = new Map<string, NodeJS.Timeout>();
  /** Milliseconds that a tenant's last count took. */
  private readonly cost = new Map<string, number>();
  private counting: Promise<void> = Promise.resolve();
  private sweeping: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly options: RecounterOptions) {}

  start(): void {
    this.sweeping = setInterval(() => this.enqueue(() => this.sweep()), this.options.sweepIntervalMs);
    this.enqueue(() => this.sweep());
  }

  /** Says that a tenant's searchable chunks have changed. */
  note(tenantId: string): void {
    if (this.closed || this.scheduled.has(tenantId)) return;
    const pause = Math.max(this.options.pauseMs, (this.cost.get(tenantId) ?? 0) * restPerWork);
    const timer = setTimeout(() => {
      this.scheduled.delete(tenantId);
      this.enqueue(() => this.recount(tenantId));
    }, pause);
    this.scheduled.set(tenantId, timer);
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.sweeping);
    for (const timer of this.scheduled.values()) clearTimeout(timer);
    await this.counting;
  }

  /** One piece of work at a time. */
  private enqueue(work: () => Promise<void>): void {
    this.counting = this.counting
      .then(() => (this.closed ? undefined : work()))
      .catch((error: unknown) => this.options.logger.warn({ err: error }, 'recount of terms failed'));
  }

  private async sweep(): Promise<void> {
    for (const tenantId of await this.options.lexicon.outdatedTenants(tenantsAtOnce)) this.note(tenantId);
  }

  private async recount(tenantId: string): Promise<void> {
    const started = performance.now();
    const done = await this.options.lexicon.recount(tenantId);
    this.cost.set(tenantId, performance.now() - started);
    if (!done) this.note(tenantId);
  }
}
