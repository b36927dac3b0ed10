import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFileBlobStore } from '../src/index.js';
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

async function killWriter(directory: string, afterMs: number): Promise<void> {
  const writer = fork(join(import.meta.dirname, 'endless-writer.mjs'), [directory], { execArgv: [] });
  const exited = new Promise((resolve) => writer.once('exit', resolve));
  await new Promise((resolve) => writer.once('message', resolve));
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  writer.kill('SIGKILL');
  await exited;
}
