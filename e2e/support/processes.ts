import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

interface ProcessFacts {
  pid: number;
  parent: number;
  /** Resident memory in megabytes. */
  megabytes: number;
}

/** A process and all below it, from /proc; empty where there is none. */
export function processTree(root: number): ProcessFacts[] {
  const all = readAll();
  const tree = all.filter((one) => one.pid === root);
  for (const found of tree) tree.push(...all.filter((one) => one.parent === found.pid));
  return tree;
}

function readAll(): ProcessFacts[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const status = readFileSync(`/proc/${name}/status`, 'utf8');
        const field = (key: string): number => Number(new RegExp(`^${key}:\\s*(\\d+)`, 'm').exec(status)?.[1] ?? 0);
        return [{ pid: Number(name), parent: field('PPid'), megabytes: field('VmRSS') / 1024 }];
      } catch {
        return []; // It ended in between.
      }
    });
}

/** Which of the processes has an IPv4 connection from this local port. */
export function ownerOfPort(port: number, pids: readonly number[]): number | undefined {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const fields = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const inode = fields.find(([, address]) => address?.endsWith(local))?.[9];
  return pids.find((pid) => descriptorsOf(pid).includes(`socket:[${inode}]`));
}

function descriptorsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)];
    } catch {
      return []; // It was closed in between.
    }
  });
}
