import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  hashToken,
  issueToken,
  provisionDefaultTenant,
  replaceManagedToken,
  revokeToken,
  type Database,
} from '@lectern/database';
import { describeBackends, type Backend } from './backends.js';

describeBackends('provisioning', (open) => {
  let backend: Backend;
  let gateway: Database;
  let tenantId: string;
  let managed: string;

  beforeAll(async () => {
    backend = await open();
    gateway = backend.database('gateway');
    const both = await Promise.all([backend.asAdmin(provisionDefaultTenant), backend.asAdmin(provisionDefaultTenant)]);
    tenantId = both[0].tenantId;
    const tokens = both.flatMap(({ token }) => token ?? []);
    expect(tokens).toHaveLength(1);
    managed = tokens[0]!;
  });
  afterAll(() => backend.close());

  const find = (token: string) =>
    gateway.lookup<{ tenant_id: string; token_id: string }>('find_api_token', [hashToken(token)]);
  const isRevoked = (tokenId: string) =>
    gateway.withTenant(tenantId, async (transaction) => {
      const [row] = await transaction.query<{ revoked: boolean }>(
        'SELECT revoked_at IS NOT NULL AS revoked FROM api_tokens WHERE tenant_id = $1 AND id = $2',
        [tenantId, tokenId],
      );
      return row?.revoked;
    });

  it('makes the default tenant and its managed token once, however often and however many at once', async () => {
    expect(managed).toMatch(/^lct_[\w-]{43}$/);
    expect(await backend.asAdmin(provisionDefaultTenant)).toEqual({ tenantId, token: undefined });
  });

  it('finds a token by its digest and keeps the token itself nowhere', async () => {
    expect(await find(managed)).toMatchObject([{ tenant_id: tenantId }]);
    expect(await find('lct_wrong')).toEqual([]);
    const [row] = await backend.asAdmin((transaction) =>
      transaction.query<{ everything: string }>("SELECT string_agg(t::text, ' ') AS everything FROM api_tokens t"),
    );
    expect(row?.everything).not.toContain(managed);
  });

  it('ends the old managed token when a new one is made, by the owner or by the gateway', async () => {
    const first = await gateway.withTenant(tenantId, (transaction) => replaceManagedToken(transaction, tenantId));
    const second = await backend.asAdmin((transaction) => replaceManagedToken(transaction, tenantId));
    expect([await isRevoked(first.id), await isRevoked(second.id)]).toEqual([true, false]);
  });

  it('revokes a token once, and in its own tenant alone', async () => {
    const other = await backend.createTenant('other');
    const { id } = await backend.asAdmin((transaction) =>
      issueToken(transaction, tenantId, { name: 'ci', subject: 'ci', scopes: ['kb:read'] }),
    );
    expect(await gateway.withTenant(other, (transaction) => revokeToken(transaction, other, id))).toBe(false);
    expect(await isRevoked(id)).toBe(false);
    const revoke = () => gateway.withTenant(tenantId, (transaction) => revokeToken(transaction, tenantId, id));
    expect([await revoke(), await revoke(), await isRevoked(id)]).toEqual([true, false, true]);
  });
});
