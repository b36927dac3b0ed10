export { InvalidBlobKeyError } from './blob-key.js';
export type { BlobStore } from './blob-store.js';
export { createFileBlobStore } from './file-blob-store.js';
