import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Row {
  readonly title: string;
  readonly legacy: string;
  readonly modern: string;
}

const page = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'PROTOCOL.md');

/** The rows of the tables of docs/PROTOCOL.md that tell the two eras apart. */
export function readRows(): Row[] {
  const rows: Row[] = [];
  let inside = false;
  for (const line of readFileSync(page, 'utf8').split('\n')) {
    const cells = line.startsWith('|')
      ? line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim())
      : [];
    const [title = '', legacy = '', modern = ''] = cells;
    if (cells.length !== 3) inside = false;
    else if (legacy === 'legacy' && modern === 'modern') inside = true;
    else if (inside && !title.startsWith('---')) rows.push({ title, legacy, modern });
  }
  return rows;
}
