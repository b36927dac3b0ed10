import { createHash, randomBytes } from 'node:crypto';
import type { Scope } from '@lectern/contracts';
import type { Transaction } from './database.js';
import { newId } from './uuid.js';

/** Name of the tenant that an installation starts with. */
export const defaultTenantName = 'default';

/** What the managed token may do: everything about knowledge bases, danger tools included. */
export const managedScopes: readonly Scope[] = ['kb:admin'];

export interface TokenSpec {
  name: string;
  subject: string;
  scopes: readonly Scope[];
  expiresAt?: Date | undefined;
  managed?: boolean;
}

export interface IssuedToken {
  id: string;
  /** The only time that it is seen: the database keeps a digest. */
  token: string;
}

/** The digest under which a token is stored. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The id of a tenant, which is made when it is new. */
export async function ensureTenant(transaction: Transaction, name: string): Promise<string> {
  const [row] = await transaction.query<{ id: string }>(
    `INSERT INTO tenants (id, name) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id`,
    [newId(), name],
  );
  if (!row) throw new Error('the tenant was not stored');
  return row.id;
}

/** Issues a token of 256 random bits. */
export async function issueToken(transaction: Transaction, tenantId: string, spec: TokenSpec): Promise<IssuedToken> {
  const id = newId();
  const token = `lct_${randomBytes(32).toString('base64url')}`;
  await transaction.query(
    `INSERT INTO api_tokens (tenant_id, id, hash, name, subject, scopes, managed, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      tenantId,
      id,
      hashToken(token),
      spec.name,
      spec.subject,
      [...spec.scopes],
      spec.managed ?? false,
      spec.expiresAt ?? null,
    ],
  );
  return { id, token };
}

/**
 * The default tenant and, at the first time, its managed token. Two at once make one token: storing the tenant locks its
 * row until the transaction ends.
 */
export async function provisionDefaultTenant(
  transaction: Transaction,
): Promise<{ tenantId: string; token: string | undefined }> {
  const tenantId = await ensureTenant(transaction, defaultTenantName);
  const [existing] = await transaction.query(
    'SELECT id FROM api_tokens WHERE tenant_id = $1 AND managed AND revoked_at IS NULL',
    [tenantId],
  );
  if (existing) return { tenantId, token: undefined };
  return { tenantId, token: (await replaceManagedToken(transaction, tenantId)).token };
}

/** Ends a token; false when there is none or it had ended before. */
export async function revokeToken(transaction: Transaction, tenantId: string, tokenId: string): Promise<boolean> {
  const revoked = await transaction.query(
    'UPDATE api_tokens SET revoked_at = now() WHERE tenant_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING id',
    [tenantId, tokenId],
  );
  return revoked.length > 0;
}

/** Makes a new managed token; the old one is dead from then on. */
export async function replaceManagedToken(transaction: Transaction, tenantId: string): Promise<IssuedToken> {
  await transaction.query(
    'UPDATE api_tokens SET revoked_at = now() WHERE tenant_id = $1 AND managed AND revoked_at IS NULL',
    [tenantId],
  );
  return issueToken(transaction, tenantId, {
    name: 'managed',
    subject: 'managed',
    scopes: managedScopes,
    managed: true,
  });
}
