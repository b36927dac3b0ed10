import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { assertBlobKey } from './blob-key.js';
import { BlobStoreFullError, type BlobStore } from './blob-store.js';

// What another process is still writing must not be swept away under it.
const abandonedAfterMs = 60 * 60 * 1000;

/**
 * Keeps blobs as files below a directory, which is made if need be; several processes may share it. What a killed
 * process left half-written is never seen under a key, and is removed at the next start after an hour.
 */
export async function createFileBlobStore(directory: string): Promise<BlobStore> {
  const staging = join(directory, 'staging');
  await mkdir(staging, { recursive: true });
  await sweep(staging);
  return new FileBlobStore(directory, staging);
}

class FileBlobStore implements BlobStore {
  readonly #directory: string;
  readonly #staging: string;

  constructor(directory: string, staging: string) {
    this.#directory = directory;
    this.#staging = staging;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const path = this.#pathOf(key);
    const staged = join(this.#staging, randomUUID());
    try {
      await writeDurably(staged, bytes);
      await mkdir(dirname(path), { recursive: true });
      await rename(staged, path);
    } catch (error) {
      await rm(staged, { force: true });
      throw isFull(error) ? new BlobStoreFullError('the file system is full', { cause: error }) : error;
    }
    await this.#syncFolders(path);
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return await unlessMissing(readFile(this.#pathOf(key)));
  }

  async delete(key: string): Promise<boolean> {
    const path = this.#pathOf(key);
    const deleted = (await unlessMissing(unlink(path).then(() => true))) ?? false;
    if (deleted) await syncFolder(dirname(path));
    return deleted;
  }

  // By a hash, since keys that differ in case alone are one file on some systems, and a key may be another's folder.
  #pathOf(key: string): string {
    assertBlobKey(key);
    const digest = createHash('sha256').update(key).digest('hex');
    return join(this.#directory, digest.slice(0, 2), digest.slice(2, 4), digest);
  }

  /** A new file survives a power cut only when the folders that lead to it were written too. */
  async #syncFolders(path: string): Promise<void> {
    const shard = dirname(path);
    for (const folder of [shard, dirname(shard), this.#directory]) await syncFolder(folder);
  }
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows can't open folders, and journals renames by itself.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function sweep(staging: string): Promise<void> {
  for (const name of await readdir(staging)) {
    const path = join(staging, name);
    const found = await unlessMissing(stat(path));
    if (found && Date.now() - found.mtimeMs > abandonedAfterMs) await rm(path, { force: true });
  }
}

/** The disk is full, or what this user may have of it. */
function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
