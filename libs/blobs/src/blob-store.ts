/**
 * Keeps bytes under keys. A key is one to eight segments of letters, digits, `_`, `-` and `.` joined by `/`, none of
 * which starts with a dot, at most 512 characters; other keys are refused with an `InvalidBlobKeyError`.
 */
export interface BlobStore {
  /**
   * Stores the bytes, in place of those before. A reader sees the old ones or the new ones, whatever dies on the way.
   * Rejects with a `BlobStoreFullError`, with nothing stored, where there is no room for them.
   */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** The bytes, or undefined where there are none. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Whether there was something to delete. */
  delete(key: string): Promise<boolean>;
}

/** There is no room for the bytes; the cause is what the system said. */
export class BlobStoreFullError extends Error {
  override readonly name = 'BlobStoreFullError';
}
