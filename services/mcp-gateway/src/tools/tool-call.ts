import type { Caller } from '@lectern/contracts';
import type { Progress } from './define-tool.js';

/** One call of a tool, as its transport hands it over. */
export interface ToolCall {
  readonly caller: Caller;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Aborts when the client is gone or the deadline has passed. */
  readonly signal: AbortSignal;
  /** A person has confirmed danger, in a way that no model can. */
  readonly confirmed: boolean;
  /** Present when the client asked to be told. */
  readonly reportProgress?: ((progress: Progress) => void) | undefined;
}
