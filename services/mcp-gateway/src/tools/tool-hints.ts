import type { Tool } from './define-tool.js';

/** The four hints of MCP, set explicitly since their defaults are the most alarming ones. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  /** Calling twice with the same arguments changes no more than calling once. */
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Follows from the permission and, for writes, from whether the operation may run again. */
export function hintsOf({ permission, route }: Pick<Tool, 'permission' | 'route'>): ToolHints {
  return {
    readOnlyHint: permission === 'read-only',
    destructiveHint: permission === 'danger',
    idempotentHint: permission !== 'write' || (route.kind === 'operation' && route.operation.retry === 'safe'),
    openWorldHint: false,
  };
}
