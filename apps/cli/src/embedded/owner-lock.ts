import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** Held while a process owns a data folder; the system lets go of it when the process dies, however it dies. */
export interface OwnerLock {
  release(): Promise<void>;
}

/**
 * Takes the ownership of a data folder, or gives undefined when a living process has it. A second owner would destroy
 * the embedded database. The lock is a listening local socket, since Node has no file locks.
 */
export async function acquireOwnership(dataDir: string): Promise<OwnerLock | undefined> {
  const address = lockAddress(dataDir);
  const server = await listen(address);
  if (server) return lockOf(server);
  // Only where sockets are files can one outlive its process.
  if (process.platform !== 'darwin' || (await answers(address))) return undefined;
  await rm(address, { force: true });
  const second = await listen(address);
  return second ? lockOf(second) : undefined;
}

function lockAddress(dataDir: string): string {
  const digest = createHash('sha256').update(dataDir).digest('hex').slice(0, 32);
  if (process.platform === 'win32') return `\\\\.\\pipe\\lectern-${digest}`;
  // Linux has names that are no files and vanish with their process.
  if (process.platform === 'linux') return `\0lectern-${process.getuid?.()}-${digest}`;
  return join(dataDir, 'owner.sock');
}

function listen(address: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.end());
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(address, () => resolve(server));
  });
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function lockOf(server: Server): OwnerLock {
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}
