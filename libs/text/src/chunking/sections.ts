import type { Section } from './span.js';

/**
 * Joins sections that are too small to stand alone: a bare heading goes to what follows it, small neighbours become
 * one chunk under the headings they share.
 */
export function groupSections(sections: readonly Section[], targetLength: number): Section[] {
  const groups: Section[] = [];
  let open: Section | undefined;
  for (const section of sections) {
    if (open && belongTogether(open, section, targetLength)) open = joinSections(open, section);
    else {
      if (open) groups.push(open);
      open = section;
    }
  }
  return open ? [...groups, open] : groups;
}

function belongTogether(open: Section, next: Section, targetLength: number): boolean {
  if (lengthOf(open) >= targetLength / 4) return false;
  if (!open.hasBody) return true;
  const sameSubject = open.headingPath.length === 0 || open.headingPath[0] === next.headingPath[0];
  return sameSubject && lengthOf(open) + lengthOf(next) <= targetLength;
}

function joinSections(open: Section, next: Section): Section {
  const headingPath = open.hasBody || !next.hasBody ? sharedPath(open.headingPath, next.headingPath) : next.headingPath;
  return { headingPath, hasBody: open.hasBody || next.hasBody, blocks: [...open.blocks, ...next.blocks] };
}

function sharedPath(left: readonly string[], right: readonly string[]): readonly string[] {
  const different = left.findIndex((title, level) => title !== right[level]);
  return different === -1 ? left : left.slice(0, different);
}

function lengthOf(section: Section): number {
  const first = section.blocks.at(0);
  const last = section.blocks.at(-1);
  return first && last ? last.end - first.start : 0;
}
