import { sliceWellFormed } from '@lectern/text';
import type { JobRun } from '../jobs/jobs.repository.js';
import type { Stage } from './stage.js';
import type { TextsRepository } from './texts.repository.js';
import type { VersionsRepository } from './versions.repository.js';

const previewLength = 120;

/** Publishes the new version at once, then removes what it replaces. */
export class SwitchStage implements Stage {
  readonly name = 'switch';

  constructor(
    private readonly texts: TextsRepository,
    private readonly versions: VersionsRepository,
  ) {}

  async run(run: JobRun, signal: AbortSignal): Promise<void> {
    const text = await this.texts.read(run, signal);
    const preview = sliceWellFormed(text, 0, previewLength).text;
    await this.versions.publish(run, { charCount: text.length, preview }, signal);
    // A first version replaces nothing.
    if (run.version > 1) await this.versions.removeUnused(run, signal);
  }
}
