import type { BlobStore } from '@lectern/blobs';
import type { UploadsRepository } from './uploads.repository.js';

/** Far longer than a call can take, so that no upload under way is meant. */
const abandonedAfterMs = 60 * 60 * 1000;
const uploadsAtOnce = 100;

/** Removes the files of uploads that broke off between their file and their document. */
export class AbandonedUploads {
  constructor(
    private readonly uploads: UploadsRepository,
    private readonly blobs: BlobStore,
  ) {}

  async remove(): Promise<void> {
    for (const upload of await this.uploads.abandonedFor(abandonedAfterMs, uploadsAtOnce)) {
      await this.uploads.remove(upload, (key) => this.blobs.delete(key));
    }
  }
}
