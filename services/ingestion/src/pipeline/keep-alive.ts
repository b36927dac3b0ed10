import { RunLostError } from '../jobs/jobs.repository.js';

/**
 * Renews a run again and again. The signal aborts when the outer one does, or as soon as a renewal finds that the run
 * is lost; other failures of a renewal show in the run's own writes.
 */
export function keepAlive(
  renew: () => Promise<void>,
  intervalMs: number,
  outer: AbortSignal,
): { signal: AbortSignal; stop(): Promise<void> } {
  const lost = new AbortController();
  let renewing = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    renewing = renew()
      .catch((error: unknown) => {
        if (error instanceof RunLostError) lost.abort(error);
      })
      .finally(() => {
        busy = false;
      });
  }, intervalMs);
  return {
    signal: AbortSignal.any([outer, lost.signal]),
    async stop() {
      clearInterval(timer);
      await renewing;
    },
  };
}
