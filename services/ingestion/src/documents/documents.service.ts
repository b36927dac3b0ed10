import { BlobStoreFullError, type BlobStore } from '@lectern/blobs';
import { ServiceError, storageFull, type RequestOf, type ResponseOf, type submitDocument } from '@lectern/contracts';
import { newId } from '@lectern/database';
import { injectTrace, type Logger } from '@lectern/telemetry';
import type { CallContext } from '@lectern/transport';
import type { JobQueue } from '../jobs/job-queue.js';
import {
  UploadAbandonedError,
  type DocumentsRepository,
  type Insertion,
  type NewDocument,
  type SubmittedDocument,
} from './documents.repository.js';
import { inspectUpload } from './inspect-upload.js';

type Request = RequestOf<typeof submitDocument>;
type Response = ResponseOf<typeof submitDocument>;

/** Twins that fail at the very moment are rare; several in a row are a defect. */
const insertAttempts = 5;

export class DocumentsService {
  constructor(
    private readonly repository: DocumentsRepository,
    private readonly blobs: BlobStore,
    private readonly queue: JobQueue,
    private readonly logger: Logger,
  ) {}

  /** Stores a text and queues it; the same bytes in the same knowledge base give the document that is there. */
  async submit(request: Request, { caller, signal }: CallContext): Promise<Response> {
    const { tenantId } = caller;
    const { knowledgeBaseId } = request;
    const upload = inspectUpload(request);
    const documentId = newId();
    const document = {
      documentId,
      knowledgeBaseId,
      blobKey: `${tenantId}/${documentId}`,
      upload,
      requestedBy: caller.subject,
      trace: injectTrace(),
    };
    const known = await this.repository.beginUpload(tenantId, document, signal);
    if (known === 'no_knowledge_base') throw noKnowledgeBase(knowledgeBaseId);
    if (known) return { ...known, created: false };
    await this.store(document.blobKey, upload.bytes);
    // One that throws may have been committed all the same, so its file stays; by its record it goes later.
    const insertion = await this.insert(tenantId, document, signal).catch((error: unknown) =>
      this.refuseAbandoned(document, error),
    );
    if (insertion.kind !== 'created') await this.blobs.delete(document.blobKey);
    if (insertion.kind === 'no_knowledge_base') throw noKnowledgeBase(knowledgeBaseId);
    if (insertion.kind === 'existing') return { ...insertion.document, created: false };
    await this.enqueue(tenantId, insertion.document, insertion.priority);
    return { ...insertion.document, created: true };
  }

  private async store(blobKey: string, bytes: Uint8Array): Promise<void> {
    await this.blobs.put(blobKey, bytes).catch((error: unknown) => {
      throw error instanceof BlobStoreFullError ? storageFull(error) : error;
    });
  }

  /** Of a process that stood still for so long, whose file may have come after the removal. */
  private async refuseAbandoned({ blobKey }: NewDocument, error: unknown): Promise<never> {
    if (!(error instanceof UploadAbandonedError)) throw error;
    await this.blobs.delete(blobKey);
    throw new ServiceError('unavailable', 'The upload took too long. Try again.', { retryAfterMs: 1000, cause: error });
  }

  private async insert(
    tenantId: string,
    document: NewDocument,
    signal: AbortSignal,
  ): Promise<Exclude<Insertion, { kind: 'vanished' }>> {
    for (let attempt = 1; attempt <= insertAttempts; attempt += 1) {
      const insertion = await this.repository.insert(tenantId, document, signal);
      if (insertion.kind !== 'vanished') return insertion;
    }
    throw new ServiceError('unavailable', 'The document is changing at this moment. Try again.', {
      retryAfterMs: 1000,
    });
  }

  /** The document is stored: without its queue it waits for the sweeper. */
  private async enqueue(tenantId: string, { jobId }: SubmittedDocument, priority: number): Promise<void> {
    try {
      await this.queue.enqueue({ tenantId, jobId }, priority);
    } catch (error) {
      this.logger.warn({ err: error, tenant: tenantId, job: jobId }, 'job not queued; the sweeper will');
    }
  }
}

/** The same words for an unknown id and for another tenant's. */
function noKnowledgeBase(id: string): ServiceError {
  return new ServiceError('not_found', `There is no knowledge base ${id}. Call list_knowledge_bases for the ids.`);
}
