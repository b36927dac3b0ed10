import type { KnowledgeBase } from '@lectern/contracts';
import type { Database } from '@lectern/database';

type Row = Omit<KnowledgeBase, 'createdAt'> & { createdAt: Date };

export class KnowledgeBasesRepository {
  constructor(private readonly database: Database) {}

  /** All of a tenant, newest first. */
  async list(tenantId: string, signal: AbortSignal): Promise<KnowledgeBase[]> {
    const rows = await this.database.withTenant(
      tenantId,
      (transaction) =>
        transaction.query<Row>(
          `SELECT k.id, k.name, k.description, k.created_at AS "createdAt",
                  (SELECT count(*) FROM documents d WHERE d.tenant_id = k.tenant_id AND d.kb_id = k.id) AS "documentCount"
           FROM knowledge_bases k WHERE k.tenant_id = $1 ORDER BY k.created_at DESC, k.id DESC`,
          [tenantId],
        ),
      { readOnly: true, signal },
    );
    return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
  }
}
