import { z } from 'zod';
import { idSchema } from './common/ids.js';

/** The closed list of scopes; an `admin` scope implies its family. */
export const scopes = [
  'kb:read',
  'kb:write',
  'kb:danger',
  'kb:admin',
  'memories:read',
  'memories:write',
  'memories:delete',
  'memories:admin',
  'profile:read',
  'profile:write',
] as const;
export type Scope = (typeof scopes)[number];

/** Who calls: taken from the credential alone, and signed on its way between services. */
export const callerSchema = z.object({
  tenantId: idSchema,
  /** The principal within the tenant, such as `token:<id>` or `stdio`. */
  subject: z.string().min(1).max(200),
  scopes: z.array(z.enum(scopes)),
  /** Follows one call through every log line. */
  requestId: z.string().min(1).max(128),
});
export type Caller = z.output<typeof callerSchema>;

export function hasScope(caller: Pick<Caller, 'scopes'>, scope: Scope): boolean {
  const family = scope.slice(0, scope.indexOf(':'));
  return caller.scopes.includes(scope) || caller.scopes.includes(`${family}:admin` as Scope);
}
