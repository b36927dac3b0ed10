import type { Tool } from './define-tool.js';

/** What a local tool may know of the server and of the call. */
export interface ServerFacts {
  readonly basePath: string;
  readonly readOnly: boolean;
  readonly toolsets: readonly string[];
  /** Longest time of a call in seconds. */
  readonly requestTimeoutSeconds: number;
  /** The tools that are listed to the caller. */
  readonly tools: readonly Tool[];
}
