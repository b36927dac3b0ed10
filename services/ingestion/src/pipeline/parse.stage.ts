import type { BlobStore } from '@lectern/blobs';
import { normaliseText } from '@lectern/text';
import type { JobRun } from '../jobs/jobs.repository.js';
import { DocumentError } from './document-error.js';
import type { Stage } from './stage.js';
import type { TextsRepository } from './texts.repository.js';

/** File → stored text, to which all offsets refer. */
export class ParseStage implements Stage {
  readonly name = 'parse';

  constructor(
    private readonly blobs: BlobStore,
    private readonly texts: TextsRepository,
  ) {}

  async run(run: JobRun, signal: AbortSignal): Promise<void> {
    const bytes = await this.blobs.get(run.blobKey);
    if (!bytes) throw new DocumentError('content_missing');
    const text = normaliseText(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
    await this.texts.replace(run, text, signal);
  }
}
