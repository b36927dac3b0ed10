import type { DocumentState } from '@lectern/contracts';
import { newId, type Database, type Transaction } from '@lectern/database';
import type { TraceCarrier } from '@lectern/telemetry';
import { jobPriority } from '../jobs/outstanding.repository.js';
import type { Upload } from './inspect-upload.js';

/** A document as submitting it answers. */
export interface SubmittedDocument {
  documentId: string;
  jobId: string;
  status: DocumentState;
}

export interface NewDocument {
  documentId: string;
  knowledgeBaseId: string;
  blobKey: string;
  upload: Upload;
  requestedBy: string;
  trace: TraceCarrier;
}

/** What became of a document that was to be stored. */
export type Insertion =
  | { kind: 'created'; document: SubmittedDocument; priority: number }
  /** These bytes are there already. */
  | { kind: 'existing'; document: SubmittedDocument }
  /** They were, but that document failed or was deleted in the same moment: the way is free. */
  | { kind: 'vanished' }
  | { kind: 'no_knowledge_base' };

/** The upload began so long ago that its file was removed. */
export class UploadAbandonedError extends Error {
  override readonly name = 'UploadAbandonedError';
}

export class DocumentsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Records that the file of a document is about to be stored; one that never gets its document is removed by this
   * record. Without it, and with an answer, where there is a living document of these bytes, or no knowledge base.
   */
  beginUpload(
    tenantId: string,
    { documentId, knowledgeBaseId, blobKey, upload }: NewDocument,
    signal: AbortSignal,
  ): Promise<SubmittedDocument | 'no_knowledge_base' | undefined> {
    return this.database.withTenant(
      tenantId,
      async (transaction) => {
        if (!(await activeSpace(transaction, tenantId, knowledgeBaseId))) return 'no_knowledge_base';
        const existing = await sameBytes(transaction, tenantId, knowledgeBaseId, upload.sha256);
        if (existing) return existing;
        await transaction.query('INSERT INTO uploads (tenant_id, document_id, blob_key) VALUES ($1, $2, $3)', [
          tenantId,
          documentId,
          blobKey,
        ]);
        return undefined;
      },
      { signal },
    );
  }

  /**
   * Stores a document and its job, both queued, in place of the record of its upload, unless another call was first with
   * the same bytes. Throws an {@link UploadAbandonedError} when the upload counts as abandoned.
   */
  insert(tenantId: string, document: NewDocument, signal: AbortSignal): Promise<Insertion> {
    return this.database.withTenant(
      tenantId,
      async (transaction): Promise<Insertion> => {
        const { knowledgeBaseId, upload } = document;
        const spaceId = await activeSpace(transaction, tenantId, knowledgeBaseId);
        if (!spaceId) return { kind: 'no_knowledge_base' };
        if (!(await insertDocument(transaction, tenantId, document))) {
          const existing = await sameBytes(transaction, tenantId, knowledgeBaseId, upload.sha256);
          return existing ? { kind: 'existing', document: existing } : { kind: 'vanished' };
        }
        await endUpload(transaction, tenantId, document.documentId);
        const jobId = await insertJob(transaction, tenantId, document, spaceId);
        return {
          kind: 'created',
          document: { documentId: document.documentId, jobId, status: 'queued' },
          priority: await jobPriority(transaction, tenantId),
        };
      },
      { signal },
    );
  }
}

async function endUpload(transaction: Transaction, tenantId: string, documentId: string): Promise<void> {
  const ended = await transaction.query(
    'DELETE FROM uploads WHERE tenant_id = $1 AND document_id = $2 RETURNING document_id',
    [tenantId, documentId],
  );
  if (ended.length === 0) throw new UploadAbandonedError('the file of the upload was removed');
}

/** The space of a knowledge base; undefined for an unknown base and for another tenant's. */
async function activeSpace(transaction: Transaction, tenantId: string, id: string): Promise<string | undefined> {
  const [row] = await transaction.query<{ spaceId: string }>(
    `SELECT space_id AS "spaceId" FROM knowledge_base_spaces
     WHERE tenant_id = $1 AND kb_id = $2 AND state = 'active'`,
    [tenantId, id],
  );
  return row?.spaceId;
}

async function sameBytes(
  transaction: Transaction,
  tenantId: string,
  knowledgeBaseId: string,
  sha256: Uint8Array,
): Promise<SubmittedDocument | undefined> {
  const [row] = await transaction.query<SubmittedDocument>(
    `SELECT d.id AS "documentId", j.id AS "jobId", d.state AS status
     FROM documents d JOIN ingestion_jobs j ON j.tenant_id = d.tenant_id AND j.document_id = d.id
     WHERE d.tenant_id = $1 AND d.kb_id = $2 AND d.sha256 = $3 AND d.state <> 'failed'
     ORDER BY j.version DESC LIMIT 1`,
    [tenantId, knowledgeBaseId, Buffer.from(sha256)],
  );
  return row;
}

async function insertDocument(transaction: Transaction, tenantId: string, document: NewDocument): Promise<boolean> {
  const { upload } = document;
  const rows = await transaction.query(
    `INSERT INTO documents (tenant_id, id, kb_id, title, content_type, sha256, blob_key, byte_count)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (tenant_id, kb_id, sha256) WHERE state <> 'failed' DO NOTHING RETURNING id`,
    [
      tenantId,
      document.documentId,
      document.knowledgeBaseId,
      upload.title,
      upload.contentType,
      Buffer.from(upload.sha256),
      document.blobKey,
      upload.bytes.length,
    ],
  );
  return rows.length === 1;
}

async function insertJob(
  transaction: Transaction,
  tenantId: string,
  document: NewDocument,
  spaceId: string,
): Promise<string> {
  const jobId = newId();
  await transaction.query(
    `INSERT INTO ingestion_jobs (tenant_id, id, kb_id, document_id, version, space_id, trace, requested_by)
     VALUES ($1, $2, $3, $4, 1, $5, $6, $7)`,
    [
      tenantId,
      jobId,
      document.knowledgeBaseId,
      document.documentId,
      spaceId,
      JSON.stringify(document.trace),
      document.requestedBy,
    ],
  );
  return jobId;
}
