import { hasScope, type Caller, type Scope } from '@lectern/contracts';
import { insufficientScope } from '../auth/bearer.js';
import { HttpError } from '../http/http-error.js';
import { accessTo, type AccessMode } from '../tools/access.js';
import { catalog } from '../tools/catalog/index.js';
import { calledTool, type Message } from './messages.js';

const byName = new Map(catalog.map((tool) => [tool.name, tool]));
/** All resources are read through tools of this scope. */
const resourceScope: Scope = 'kb:read';

/**
 * Refuses a whole request before any of it runs, as the HTTP answers that clients act upon: 403 for a missing scope,
 * which they can obtain, and for danger that nobody has confirmed. The SDK could say neither once a tool has begun.
 */
export function refuseBeforehand(
  messages: readonly Message[],
  { caller, confirmed, mode }: { caller: Caller; confirmed: boolean; mode: AccessMode },
): void {
  for (const message of messages) {
    if (message.method === 'resources/read' && !hasScope(caller, resourceScope)) {
      throw insufficientScope(resourceScope, `Reading resources needs the scope ${resourceScope}.`);
    }
    const tool = byName.get(calledTool(message) ?? '');
    if (!tool) continue;
    const access = accessTo(tool, caller, mode);
    if (access === 'insufficient_scope') {
      throw insufficientScope(tool.scope, `${tool.name} needs the scope ${tool.scope}.`);
    }
    if (access === 'allowed' && tool.confirm !== undefined && !confirmed) {
      const how = 'A person confirms it by the header X-MCP-Confirm with the credential of the request.';
      throw new HttpError(403, 'danger_confirmation_required', `${tool.confirm} ${how}`);
    }
  }
}
