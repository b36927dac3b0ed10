import { hasScope, type Caller, type Scope } from '@lectern/contracts';
import { insufficientScope } from '../auth/bearer.js';
import { HttpError } from '../http/http-error.js';
import { accessTo, type AccessMode } from '../tools/access.js';
import type { Tool } from '../tools/define-tool.js';
import { calledTool, type Message } from './messages.js';

/** All resources are read through tools of this scope. */
const resourceScope: Scope = 'kb:read';

export interface GateFacts {
  readonly caller: Caller;
  readonly confirmed: boolean;
  readonly mode: AccessMode;
  readonly tools: readonly Tool[];
}

/**
 * Refuses a whole request before any of it runs, as the HTTP answers that clients act upon: 403 for a missing scope,
 * which they can obtain, and for danger that nobody has confirmed. The SDK could say neither once a tool has begun.
 */
export function refuseBeforehand(messages: readonly Message[], { caller, confirmed, mode, tools }: GateFacts): void {
  for (const message of messages) {
    if (message.method === 'resources/read' && !hasScope(caller, resourceScope)) {
      throw insufficientScope(resourceScope, `Reading resources needs the scope ${resourceScope}.`);
    }
    const called = calledTool(message);
    const tool = tools.find(({ name }) => name === called);
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
