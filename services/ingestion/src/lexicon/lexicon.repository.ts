import type { Database } from '@lectern/database';

/** How often each term occurs, per tenant. */
export class LexiconRepository {
  constructor(private readonly database: Database) {}

  /** Tenants whose chunks have changed since they were counted. */
  async outdatedTenants(limit: number): Promise<string[]> {
    const rows = await this.database.lookup<{ tenant_id: string }>('tenants_to_recount', [limit]);
    return rows.map((row) => row.tenant_id);
  }

  /** Counts a tenant's terms anew. False when somebody else is doing it. */
  async recount(tenantId: string): Promise<boolean> {
    const [row] = await this.database.withTenant(tenantId, (transaction) =>
      transaction.query<{ done: boolean }>('SELECT recount_lexical_terms() AS done'),
    );
    return row?.done ?? false;
  }
}
