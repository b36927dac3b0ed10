import { scopes as knownScopes, type Caller, type Scope } from '@lectern/contracts';
import type { Database, Transaction } from '@lectern/database';

/** Who a credential stands for. */
export type Principal = Omit<Caller, 'requestId'>;

interface TokenRow {
  subject: string;
  scopes: string[];
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

/** How exact `last_used_at` is: a write for each call would cost more than the call. */
const lastUsedResolutionMs = 60_000;

/** Issued API tokens, found by their digest. Every method rejects when its signal aborts. */
export class TokenStore {
  constructor(private readonly database: Database) {}

  /** The principal of a token; undefined when it is unknown, expired or revoked. */
  async find(digest: Buffer, signal: AbortSignal): Promise<Principal | undefined> {
    const [found] = await this.database.lookup<{ tenant_id: string; token_id: string }>('find_api_token', [digest], {
      signal,
    });
    if (!found) return undefined;
    const { tenant_id: tenantId, token_id: id } = found;
    return this.database.withTenant(
      tenantId,
      async (transaction) => {
        const [row] = await transaction.query<TokenRow>(
          `SELECT subject, scopes, expires_at, revoked_at, last_used_at FROM api_tokens WHERE tenant_id = $1 AND id = $2`,
          [tenantId, id],
        );
        if (!row || row.revoked_at || (row.expires_at && row.expires_at.getTime() <= Date.now())) return undefined;
        await touch(transaction, tenantId, id, row.last_used_at);
        return { tenantId, subject: row.subject, scopes: row.scopes.filter(isScope) };
      },
      { signal },
    );
  }

  /** The tenant that a fixed token belongs to; undefined before `migrate` has made it. */
  async findTenant(name: string, signal: AbortSignal): Promise<string | undefined> {
    const [found] = await this.database.lookup<{ tenant_id: string }>('find_tenant', [name], { signal });
    return found?.tenant_id;
  }
}

async function touch(transaction: Transaction, tenantId: string, id: string, lastUsed: Date | null): Promise<void> {
  if (lastUsed && Date.now() - lastUsed.getTime() < lastUsedResolutionMs) return;
  await transaction.query('UPDATE api_tokens SET last_used_at = now() WHERE tenant_id = $1 AND id = $2', [
    tenantId,
    id,
  ]);
}

function isScope(scope: string): scope is Scope {
  return (knownScopes as readonly string[]).includes(scope);
}
