import { execFileSync, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BlobStoreFullError, createFileBlobStore } from '../src/index.js';
import { describeBlobStore } from './conformance.js';

describeBlobStore('createFileBlobStore', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-blobs-'));
  return {
    store: await createFileBlobStore(directory),
    reopen: () => createFileBlobStore(directory),
    close: () => rm(directory, { recursive: true }),
  };
});

describe('createFileBlobStore on a directory that a killed process left', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lectern-blobs-'));
  });
  afterEach(async () => {
    await rm(directory, { recursive: true });
  });

  it('removes what was left half-written, but not what may still be written', async () => {
    const staging = join(directory, 'staging');
    await mkdir(staging);
    for (const name of ['abandoned', 'fresh']) await writeFile(join(staging, name), 'half');
    const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
    await utimes(join(staging, 'abandoned'), twoHoursAgo, twoHoursAgo);
    await createFileBlobStore(directory);
    expect(await readdir(staging)).toEqual(['fresh']);
  });

  it('leaves nothing in staging after a write, be it refused or done', async () => {
    const store = await createFileBlobStore(directory);
    await store.put('key', Buffer.from('x'));
    await rm(directory, { recursive: true });
    await mkdir(join(directory, 'staging'), { recursive: true });
    const shard = createHash('sha256').update('other').digest('hex').slice(0, 2);
    await writeFile(join(directory, shard), 'in the way');
    await expect(store.put('other', Buffer.from('x'))).rejects.toThrow();
    expect(await readdir(join(directory, 'staging'))).toEqual([]);
  });

  it('has the old blob or the new one, whole, after a kill in the middle of writing', async () => {
    const store = await createFileBlobStore(directory);
    await store.put('key', Buffer.alloc(300_000, 0));
    for (let round = 0; round < 5; round += 1) {
      await killWriter(directory, 20 + round * 10);
      const bytes = await store.get('key');
      expect([bytes?.byteLength, new Set(bytes).size]).toEqual([300_000, 1]);
    }
  });
});

describe('createFileBlobStore on a full disk', () => {
  let directory: string;
  let isMounted: boolean;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lectern-blobs-'));
    isMounted = mountSmallDisk(directory);
  });
  afterAll(async () => {
    if (isMounted) execFileSync('umount', [directory]);
    await rm(directory, { recursive: true });
  });

  it('says so, stores nothing, and goes on when there is room', async () => {
    // Only a superuser of Linux can make one.
    if (!isMounted) return;
    const store = await createFileBlobStore(directory);
    await store.put('small', Buffer.alloc(10_000));
    await expect(store.put('large', Buffer.alloc(100_000))).rejects.toBeInstanceOf(BlobStoreFullError);
    expect(await store.get('large')).toBeUndefined();
    expect((await store.get('small'))?.byteLength).toBe(10_000);
    await store.put('another', Buffer.alloc(10_000));
  });
});

function mountSmallDisk(directory: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', directory], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function killWriter(directory: string, afterMs: number): Promise<void> {
  const writer = fork(join(import.meta.dirname, 'endless-writer.mjs'), [directory], { execArgv: [] });
  const exited = new Promise((resolve) => writer.once('exit', resolve));
  await new Promise((resolve) => writer.once('message', resolve));
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  writer.kill('SIGKILL');
  await exited;
}
