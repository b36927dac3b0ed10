export { InvalidBlobKeyError } from './blob-key.js';
export { BlobStoreFullError, type BlobStore } from './blob-store.js';
export { createFileBlobStore } from './file-blob-store.js';
