/** The newest of many ids, each with a note; the oldest are forgotten. */
export class RecentSet {
  private readonly notes = new Map<string, string>();

  constructor(private readonly capacity: number) {}

  has(id: string): boolean {
    return this.notes.has(id);
  }

  set(id: string, note: string): void {
    this.notes.set(id, note);
    if (this.notes.size <= this.capacity) return;
    const [oldest] = this.notes.keys();
    if (oldest !== undefined) this.notes.delete(oldest);
  }

  /** The note that the id has already, else the given one from now on. */
  addOrGet(id: string, note: string): string {
    const known = this.notes.get(id);
    if (known !== undefined) return known;
    this.set(id, note);
    return note;
  }
}
