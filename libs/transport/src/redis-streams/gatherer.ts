import type { Redis } from 'ioredis';

/** Most items of one batch, and its most bytes where it holds several: a batch is one command, and Redis serves nobody meanwhile. */
const maxItems = 64;
const maxBytes = 1024 * 1024;

/**
 * Gathers what one turn of the event loop sends over a connection into one batch for each destination, and all of them
 * into one write: under load commands and writes cost both sides more than what is in them.
 */
export class Gatherer<Item> {
  private scheduled = false;
  private batches: { items: Item[]; bytes: number }[] = [];
  /** The batch of each destination that still takes items. */
  private readonly open = new Map<string, { items: Item[]; bytes: number }>();

  /** @param send called with the items of one destination, in their order. */
  constructor(
    private readonly redis: Redis,
    private readonly send: (items: Item[]) => void,
  ) {}

  add(destination: string, item: Item, bytes: number): void {
    const open = this.open.get(destination);
    if (open && open.items.length < maxItems && open.bytes + bytes <= maxBytes) {
      open.items.push(item);
      open.bytes += bytes;
      return;
    }
    this.schedule();
    const batch = { items: [item], bytes };
    this.batches.push(batch);
    this.open.set(destination, batch);
  }

  /** Sends at the end of this turn, before whatever is put off until then from now on. */
  schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.flush());
  }

  private flush(): void {
    this.scheduled = false;
    const batches = this.batches;
    this.batches = [];
    this.open.clear();
    const { stream } = this.redis;
    if (batches.length > 1) stream.cork();
    for (const { items } of batches) this.send(items);
    if (batches.length > 1) stream.uncork();
  }
}
