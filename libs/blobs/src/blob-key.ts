const longestKey = 512;
const key = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}(?:\/[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}){0,7}$/;

/** The key could leave the store or is not portable between file systems and object stores. */
export class InvalidBlobKeyError extends Error {
  override readonly name = 'InvalidBlobKeyError';
}

/** Throws an `InvalidBlobKeyError` unless the key is well formed. */
export function assertBlobKey(candidate: string): void {
  if (candidate.length > longestKey || !key.test(candidate)) throw new InvalidBlobKeyError('not a blob key');
}
