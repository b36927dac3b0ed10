import { hasScope, type Caller } from '@lectern/contracts';
import type { Tool, Toolset } from './define-tool.js';

/** What the operator has switched on, the same for every caller. */
export interface AccessMode {
  readonly toolsets: readonly Toolset[];
  readonly readOnly: boolean;
}

/**
 * `hidden` tools answer exactly as unknown ones. A tool whose scope is missing stays listed, since a client can obtain
 * the scope and call again.
 */
export type Access = 'allowed' | 'hidden' | 'insufficient_scope';

/** The one decision on who may call what, in this order: toolset, read-only mode, scope. */
export function accessTo(tool: Tool, caller: Pick<Caller, 'scopes'>, mode: AccessMode): Access {
  if (!isEnabled(tool, mode)) return 'hidden';
  return hasScope(caller, tool.scope) ? 'allowed' : 'insufficient_scope';
}

/** Whether the tool exists on this server at all. */
export function isEnabled(tool: Tool, mode: AccessMode): boolean {
  const selected = mode.toolsets.some((toolset) => toolset === 'all' || tool.toolsets.includes(toolset));
  return selected && (!mode.readOnly || tool.permission === 'read-only');
}
