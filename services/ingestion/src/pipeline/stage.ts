import type { IngestionStage } from '@lectern/contracts';
import type { JobRun } from '../jobs/jobs.repository.js';

/**
 * A step of a run. It may be broken off at any point and begun again, in another process and another release: what it
 * finds of an earlier try it uses or replaces.
 */
export interface Stage {
  readonly name: IngestionStage;
  /** @param signal aborts when the run has to stop; the stage then rejects soon. */
  run(run: JobRun, signal: AbortSignal): Promise<void>;
}
