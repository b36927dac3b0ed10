import { createHash, randomBytes } from 'node:crypto';
import type { Scope } from '@lectern/contracts';
import type { MigrationConnection } from './migrate.js';
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
export async function ensureTenant(connection: MigrationConnection, name: string): Promise<string> {
  const [row] = await connection.query<{ id: string }>(
    `INSERT INTO tenants (id, name) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id`,
    [newId(), name],
  );
  if (!row) throw new Error('the tenant was not stored');
  return row.id;
}

/** Issues a token of 256 random bits. */
export async function issueToken(
  connection: MigrationConnection,
  tenantId: string,
  spec: TokenSpec,
): Promise<IssuedToken> {
  const id = newId();
  const token = `lct_${randomBytes(32).toString('base64url')}`;
  await connection.query(
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

/** The default tenant and, at the first time, its managed token. */
export async function provisionDefaultTenant(
  connection: MigrationConnection,
): Promise<{ tenantId: string; token: string | undefined }> {
  const tenantId = await ensureTenant(connection, defaultTenantName);
  const [existing] = await connection.query(
    'SELECT id FROM api_tokens WHERE tenant_id = $1 AND managed AND revoked_at IS NULL',
    [tenantId],
  );
  if (existing) return { tenantId, token: undefined };
  return { tenantId, token: (await replaceManagedToken(connection, tenantId)).token };
}

/** Makes a new managed token; the old one is dead from then on. */
export async function replaceManagedToken(connection: MigrationConnection, tenantId: string): Promise<IssuedToken> {
  await connection.query(
    'UPDATE api_tokens SET revoked_at = now() WHERE tenant_id = $1 AND managed AND revoked_at IS NULL',
    [tenantId],
  );
  return issueToken(connection, tenantId, {
    name: 'managed',
    subject: 'managed',
    scopes: managedScopes,
    managed: true,
  });
}
