import type { Lane } from '@lectern/contracts';

export interface LaneLimits {
  /** Interactive requests that a replica runs at once. Bulk ones have slots of their own, half as many. */
  concurrency: number;
  /** Requests that may wait for one service and lane. */
  maxQueue: number;
}

/** Requests of a lane that a replica runs at once. Lanes share no slots, so bulk work can't take an interactive one. */
export function slotsOf(limits: LaneLimits, lane: Lane): number {
  return lane === 'interactive' ? limits.concurrency : Math.max(1, Math.floor(limits.concurrency / 2));
}
