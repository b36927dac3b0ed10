import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InvalidBlobKeyError, type BlobStore } from '../src/index.js';

export interface OpenStore {
  readonly store: BlobStore;
  /** Another store over the same blobs, as another process has it. */
  reopen(): Promise<BlobStore>;
  close(): Promise<void>;
}

/** What every blob store has to do. */
export function describeBlobStore(name: string, open: () => Promise<OpenStore>): void {
  describe(name, () => {
    let opened: OpenStore;
    let store: BlobStore;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(async () => {
      await opened.close();
    });

    it('gives back the bytes it was given', async () => {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => i % 256);
      await store.put('tenant/document', bytes);
      expect(Buffer.from((await store.get('tenant/document'))!).equals(bytes)).toBe(true);
    });

    it('keeps an empty blob', async () => {
      await store.put('empty', new Uint8Array());
      expect((await store.get('empty'))?.byteLength).toBe(0);
    });

    it('has nothing under a key that was never stored', async () => {
      expect(await store.get('tenant/nothing')).toBeUndefined();
    });

    it('replaces what was there', async () => {
      await store.put('key', Buffer.from('a longer text'));
      await store.put('key', Buffer.from('short'));
      expect(await read(store, 'key')).toBe('short');
    });

    it('says whether there was something to delete', async () => {
      await store.put('key', Buffer.from('x'));
      expect(await store.delete('key')).toBe(true);
      expect(await store.get('key')).toBeUndefined();
      expect(await store.delete('key')).toBe(false);
    });

    it('keeps keys apart that differ in case, or of which one is the folder of the other', async () => {
      for (const key of ['a', 'A', 'a/b', 'a/b/c', 'a.b']) await store.put(key, Buffer.from(key));
      for (const key of ['a', 'A', 'a/b', 'a/b/c', 'a.b']) expect(await read(store, key)).toBe(key);
    });

    it('shows a reader one whole blob while many are written under the same key', async () => {
      const versions = Array.from({ length: 20 }, (_, i) => Buffer.alloc(50_000, i));
      await store.put('key', versions[0]!);
      const writes = Promise.all(versions.map((bytes) => store.put('key', bytes)));
      const reads = await Promise.all(Array.from({ length: 20 }, () => store.get('key')));
      await writes;
      for (const bytes of reads) expect(new Set(bytes).size).toBe(1);
    });

    it('shares its blobs with another process', async () => {
      await store.put('key', Buffer.from('kept'));
      const other = await opened.reopen();
      expect(await read(other, 'key')).toBe('kept');
      await other.delete('key');
      expect(await store.get('key')).toBeUndefined();
    });

    const hostileKeys = ['', '/', '..', '../x', 'a/../../x', '/etc/passwd', 'a//b', 'a/', '.x', 'a/.x', 'a\\b', 'a\0b'];
    const foreignKeys = ['C:x', 'ключ', 'a b', 'a\n', '%2e%2e/x', 'x'.repeat(513), 'a/'.repeat(8) + 'a'];
    for (const key of [...hostileKeys, ...foreignKeys]) {
      it(`refuses the key ${JSON.stringify(key.slice(0, 20))}`, async () => {
        await expect(store.put(key, Buffer.from('x'))).rejects.toBeInstanceOf(InvalidBlobKeyError);
        await expect(store.get(key)).rejects.toBeInstanceOf(InvalidBlobKeyError);
        await expect(store.delete(key)).rejects.toBeInstanceOf(InvalidBlobKeyError);
      });
    }
  });
}

async function read(store: BlobStore, key: string): Promise<string | undefined> {
  const bytes = await store.get(key);
  return bytes && Buffer.from(bytes).toString();
}
