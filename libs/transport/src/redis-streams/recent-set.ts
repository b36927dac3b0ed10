/** The newest of many ids, each with a note; the oldest are forgotten. */
export class RecentSet {
  private newer = new Map<string, string>();
  private older = new Map<string, string>();

  /** @param atLeast so many of the newest are known; never more than twice as many. */
  constructor(private readonly atLeast: number) {}

  has(id: string): boolean {
    return this.newer.has(id) || this.older.has(id);
  }

  set(id: string, note: string): void {
    this.newer.set(id, note);
    if (this.newer.size < this.atLeast) return;
    // Half of them at once: forgetting one by one costs more than all else that a request takes here.
    this.older = this.newer;
    this.newer = new Map();
  }

  /** The note that the id has already, else the given one from now on. */
  addOrGet(id: string, note: string): string {
    const known = this.newer.get(id) ?? this.older.get(id);
    if (known !== undefined) return known;
    this.set(id, note);
    return note;
  }
}
