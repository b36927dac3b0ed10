import { randomUUID } from 'node:crypto';
import type { Caller } from '@lectern/contracts';

/** A caller of a tenant who may do everything with knowledge bases. */
export function testCaller(tenantId: string, overrides: Partial<Caller> = {}): Caller {
  return { tenantId, subject: 'tester', scopes: ['kb:admin'], requestId: randomUUID(), ...overrides };
}
