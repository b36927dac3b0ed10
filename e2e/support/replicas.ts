import { readFileSync } from 'node:fs';
import { eventually } from '@lectern/testing';
import { processTree } from './processes.js';
import type { TestStack } from './stack.js';

/** Names of the replicas of a service, or of all in the order in which they were started. */
export function replicasOf({ server }: TestStack, service = ''): string[] {
  return server.processes.map(({ name }) => name).filter((name) => name.startsWith(service));
}

/** The process that a replica is now; undefined while its supervisor waits to start the next one. */
export function replicaPid({ server }: TestStack, name: string): number | undefined {
  const marker = `HEALTH_PORT=${healthPortOf(server, name)}`;
  const supervisor = server.child.pid!;
  return processTree(supervisor).find(({ pid, parent }) => parent === supervisor && hasEnvironment(pid, marker))?.pid;
}

/** Sends a signal to a replica, and resolves when the process that takes its place is ready. */
export async function replaceReplica(stack: TestStack, name: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const former = await eventually(`${name} to run`, () => replicaPid(stack, name));
  process.kill(former, signal);
  await eventually(`${name} to be replaced`, async () => {
    const pid = replicaPid(stack, name);
    return pid !== undefined && pid !== former && (await isReady(stack, name));
  });
}

/** Resolves when every replica of a service takes requests, those that a test has killed included. */
export async function untilReady(stack: TestStack, service: string): Promise<void> {
  for (const name of replicasOf(stack, service)) await eventually(`${name} to be ready`, () => isReady(stack, name));
}

async function isReady({ server }: TestStack, name: string): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${healthPortOf(server, name)}/readyz`).catch(() => undefined);
  return answer?.ok ?? false;
}

function healthPortOf({ processes }: TestStack['server'], name: string): number | undefined {
  return processes.find((one) => one.name === name)?.healthPort;
}

function hasEnvironment(pid: number, marker: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(marker);
  } catch {
    return false; // It ended in between.
  }
}
