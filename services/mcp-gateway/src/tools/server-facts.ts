import type { Scope } from '@lectern/contracts';
import type { Permission } from './permission.js';

/** What a local tool may know of the server and of the call. */
export interface ServerFacts {
  readonly basePath: string;
  readonly readOnly: boolean;
  readonly toolsets: readonly string[];
  /** Longest time of a call in seconds. */
  readonly requestTimeoutSeconds: number;
  /** The tools that are listed to the caller. */
  readonly tools: readonly ListedTool[];
}

export interface ListedTool {
  readonly name: string;
  readonly permission: Permission;
  readonly scope: Scope;
}
