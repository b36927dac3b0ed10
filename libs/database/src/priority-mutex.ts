export type Priority = 'interactive' | 'bulk';

/** One piece of work at a time; whoever waits interactively goes before all that wait in bulk. */
export class PriorityMutex {
  private readonly queues: Record<Priority, (() => void)[]> = { interactive: [], bulk: [] };
  private busy = false;

  async run<T>(priority: Priority, work: () => Promise<T>): Promise<T> {
    if (this.busy) await new Promise<void>((resolve) => this.queues[priority].push(resolve));
    this.busy = true;
    try {
      return await work();
    } finally {
      const next = this.queues.interactive.shift() ?? this.queues.bulk.shift();
      // The lock passes on without being free in between, so that nobody can slip in.
      if (next) next();
      else this.busy = false;
    }
  }
}
