import { readdirSync, readFileSync } from 'node:fs';
import { processTree, type ServerProcess } from '@lectern/e2e';

/** Milliseconds of processor time that processes have used so far, by what they are; empty on other systems than Linux. */
export type ProcessorTime = Record<string, number>;

/** The kernel's clock ticks, a hundred a second on every Linux that Node runs on. */
const millisecondsPerTick = 10;

/** Adds what was used between two looks to a sum. */
export function addUsed(sum: ProcessorTime, before: ProcessorTime, after: ProcessorTime): void {
  for (const [name, time] of Object.entries(after)) sum[name] = (sum[name] ?? 0) + time - (before[name] ?? 0);
}

/** In words, for each of so many pieces of work. */
export function describeUsed(used: ProcessorTime, count: number): string {
  return Object.entries(used)
    .map(([name, time]) => `${name} ${(time / count).toFixed(1)} ms`)
    .join(', ');
}

/** Of a server's processes, of the embedding children, of a database's back ends and of this process, the client. */
export function processorTime({ processes }: ServerProcess, database?: string): ProcessorTime {
  if (process.platform !== 'linux') return {};
  const own = processes.map(({ name, pid }) => [name.replace(/-\d+$/, ''), timeOf(pid)] as const);
  const children = processes.flatMap(({ pid }) => processTree(pid).slice(1));
  const sum = (pids: readonly number[]) => pids.reduce((total, pid) => total + timeOf(pid), 0);
  return {
    client: timeOf(process.pid),
    ...Object.fromEntries(own),
    'embedding children': sum(children.map(({ pid }) => pid)),
    ...(database ? { PostgreSQL: sum(backEnds(database)) } : {}),
  };
}

/** A back end shows the name of its database in its title. */
function backEnds(database: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => new RegExp(`^postgres: .* ${database} `).test(read(`/proc/${name}/cmdline`)))
    .map(Number);
}

function timeOf(pid: number): number {
  // The program's name may have blanks, and ends with a bracket. User and system time are the 12th and 13th field after it.
  const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)!.split(' ');
  return ((Number(fields[11]) || 0) + (Number(fields[12]) || 0)) * millisecondsPerTick;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // It ended in between.
  }
}
