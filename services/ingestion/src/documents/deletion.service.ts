import type { BlobStore } from '@lectern/blobs';
import { ServiceError, type deleteDocument, type RequestOf, type ResponseOf } from '@lectern/contracts';
import type { Logger } from '@lectern/telemetry';
import type { CallContext } from '@lectern/transport';
import type { JobQueue } from '../jobs/job-queue.js';
import type { DeletionRepository } from './deletion.repository.js';

export interface DeletionOptions {
  repository: DeletionRepository;
  blobs: BlobStore;
  queue: JobQueue;
  /** Told of a tenant whose searchable chunks have changed. */
  onDeleted: (tenantId: string) => void;
  logger: Logger;
}

export class DeletionService {
  constructor(private readonly options: DeletionOptions) {}

  /** Removes a document with all that was made of it. An unknown id and another tenant's are answered alike. */
  async remove(
    request: RequestOf<typeof deleteDocument>,
    { caller, signal }: CallContext,
  ): Promise<ResponseOf<typeof deleteDocument>> {
    const { repository, blobs, onDeleted } = this.options;
    const { documentId, knowledgeBaseId } = request;
    const removed = await repository.remove(
      caller.tenantId,
      { documentId, knowledgeBaseId },
      (key) => blobs.delete(key),
      signal,
    );
    if (!removed) {
      throw new ServiceError('not_found', `There is no document ${documentId}. Call list_documents for the ids.`);
    }
    await this.forget(removed.jobIds);
    onDeleted(caller.tenantId);
    const { title, deleted } = removed;
    return { documentId, knowledgeBaseId: removed.knowledgeBaseId, title, deleted };
  }

  /** Only spares the queue some work: a job without its row ends by itself. */
  private async forget(jobIds: readonly string[]): Promise<void> {
    for (const jobId of jobIds) {
      await this.options.queue
        .cancel(jobId)
        .catch((error: unknown) =>
          this.options.logger.debug({ err: error, job: jobId }, 'job not taken out of the queue'),
        );
    }
  }
}
