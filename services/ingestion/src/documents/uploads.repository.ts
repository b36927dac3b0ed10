import type { Database } from '@lectern/database';

/** An upload of which no document came. */
export interface AbandonedUpload {
  tenantId: string;
  documentId: string;
}

/** The record of files that may lie in the store without a document. */
export class UploadsRepository {
  constructor(private readonly database: Database) {}

  /** Uploads of all tenants that began so many milliseconds ago and have not become documents, oldest first. */
  async abandonedFor(milliseconds: number, limit: number): Promise<AbandonedUpload[]> {
    const startedBefore = new Date(Date.now() - milliseconds);
    const rows = await this.database.lookup<{ tenant_id: string; document_id: string }>('abandoned_uploads', [
      startedBefore,
      limit,
    ]);
    return rows.map((row) => ({ tenantId: row.tenant_id, documentId: row.document_id }));
  }

  /**
   * Ends an upload and removes its file just before the commit: whatever dies on the way, it can be done again. From
   * then on the upload can't become a document any more; one that has just become one is left alone.
   */
  async remove(
    { tenantId, documentId }: AbandonedUpload,
    removeBlob: (key: string) => Promise<boolean>,
  ): Promise<void> {
    await this.database.withTenant(tenantId, async (transaction) => {
      const [upload] = await transaction.query<{ blobKey: string }>(
        'DELETE FROM uploads WHERE tenant_id = $1 AND document_id = $2 RETURNING blob_key AS "blobKey"',
        [tenantId, documentId],
      );
      if (upload) await removeBlob(upload.blobKey);
    });
  }
}
