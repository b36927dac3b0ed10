import { setTimeout as pause } from 'node:timers/promises';
import { isServiceError, ServiceError, type Operation, type ResponseOf } from '@lectern/contracts';
import type { ServiceClient } from '@lectern/transport';
import type { Follow } from './define-tool.js';
import type { ToolCall } from './tool-call.js';

const firstPauseMs = 250;
const longestPauseMs = 2000;
const pauseGrowth = 1.5;
/** What is left of the call's time for its answer. */
const reserveMs = 2000;

/**
 * Watches long work until it is done or time runs short, and tells the client how far it is. Answers the last state
 * seen: none when the first look did not succeed. Throws `not_found` when the work is gone. The work itself goes on whatever happens here.
 */
export async function followUp(
  client: ServiceClient,
  follow: Follow<Operation, Operation>,
  started: ResponseOf<Operation>,
  call: ToolCall,
): Promise<ResponseOf<Operation> | undefined> {
  const until = call.deadline - reserveMs;
  let state: ResponseOf<Operation> | undefined;
  let percent = -1;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * pauseGrowth)) {
    const latest = await look(client, follow, started, call);
    if (!latest) return state;
    state = latest;
    const progress = follow.toProgress(state);
    if (progress.percent > percent) {
      percent = progress.percent;
      call.reportProgress?.(progress);
    }
    if (follow.isDone(state) || Date.now() + pauseMs >= until) return state;
    // When the call is aborted meanwhile, the next look says so.
    await pause(pauseMs, undefined, { signal: call.signal }).catch(() => undefined);
  }
}

/** The work was accepted, so a look that fails must not fail the call; only when the work is gone there is nothing to answer. */
async function look(
  client: ServiceClient,
  follow: Follow<Operation, Operation>,
  started: ResponseOf<Operation>,
  call: ToolCall,
): Promise<ResponseOf<Operation> | undefined> {
  try {
    return await client.call(follow.operation, follow.toRequest(started), call);
  } catch (error) {
    if (!isServiceError(error) || call.signal.aborted) throw error;
    if (error.code === 'not_found') throw new ServiceError('not_found', follow.gone, { cause: error });
    return undefined;
  }
}
