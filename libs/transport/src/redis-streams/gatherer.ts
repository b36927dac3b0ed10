import type { Redis } from 'ioredis';

/** Most items of one batch, and its most bytes where it holds several: a batch is one command, and Redis serves nobody meanwhile. */
const maxItems = 64;
const maxBytes = 1024 * 1024;

/**
 * Gathers what one turn of the event loop sends into one batch for each destination, and all of them into one write: under
 * load commands and writes cost both sides more than what is in them.
 */
export class Gatherer<Item> {
  private scheduled: NodeJS.Immediate | undefined;
  private batches: { items: Item[]; bytes: number }[] = [];
  /** The batch of each destination that still takes items. */
  private readonly open = new Map<string, { items: Item[]; bytes: number }>();

  /**
   * @param redis the connection over which a turn's items leave at its end.
   * @param send called with the items of one destination, in their order, and the connection that takes them.
   */
  constructor(
    private readonly redis: Redis,
    private readonly send: (items: Item[], redis: Redis) => void,
  ) {}

  add(destination: string, item: Item, bytes: number): void {
    const open = this.open.get(destination);
    if (open && open.items.length < maxItems && open.bytes + bytes <= maxBytes) {
      open.items.push(item);
      open.bytes += bytes;
      return;
    }
    this.scheduled ??= setImmediate(() => this.flush(this.redis));
    const batch = { items: [item], bytes };
    this.batches.push(batch);
    this.open.set(destination, batch);
  }

  /**
   * Sends what is gathered over a connection that reads next, ahead of that read and in one write with it.
   *
   * @param read writes one command, which may block the connection.
   */
  sendWith<Answer>(connection: Redis, read: () => Answer): Answer {
    const { stream } = connection;
    stream.cork();
    try {
      this.flush(connection);
      return read();
    } finally {
      stream.uncork();
    }
  }

  private flush(redis: Redis): void {
    clearImmediate(this.scheduled);
    this.scheduled = undefined;
    const batches = this.batches;
    this.batches = [];
    this.open.clear();
    const { stream } = redis;
    if (batches.length > 1) stream.cork();
    for (const { items } of batches) this.send(items, redis);
    if (batches.length > 1) stream.uncork();
  }
}
