import type { Transaction } from '@lectern/database';
import { sliceWellFormed } from '@lectern/text';
import type { JobRun, JobsRepository } from '../jobs/jobs.repository.js';

/** UTF-16 code units of a stored piece of text: enough for most documents, little enough to read for one passage. */
export const segmentLength = 65_536;

/** The stored text of a document's version, in pieces that are never cut inside a surrogate pair. */
export class TextsRepository {
  constructor(private readonly jobs: JobsRepository) {}

  /** Stores the text in place of what an earlier run may have left. */
  async replace(run: JobRun, text: string, signal: AbortSignal): Promise<void> {
    const segments = segmentsOf(text);
    await this.jobs.write(
      run,
      async (transaction) => {
        const version = [run.tenantId, run.documentId, run.version];
        await transaction.query(
          'DELETE FROM document_texts WHERE tenant_id = $1 AND document_id = $2 AND version = $3',
          version,
        );
        await transaction.query(
          `INSERT INTO document_texts (tenant_id, document_id, version, segment, start_offset, text)
           SELECT $1, $2, $3, s.segment - 1, s.start_offset, s.text
           FROM unnest($4::int[], $5::text[]) WITH ORDINALITY AS s (start_offset, text, segment)`,
          [...version, segments.map((segment) => segment.startOffset), segments.map((segment) => segment.text)],
        );
      },
      signal,
    );
  }

  /** The whole text; of the run's version, which nobody else writes. */
  read(run: JobRun, signal: AbortSignal): Promise<string> {
    return this.jobs.write(run, (transaction) => readText(transaction, run), signal);
  }
}

async function readText(transaction: Transaction, run: JobRun): Promise<string> {
  const segments = await transaction.query<{ text: string }>(
    `SELECT text FROM document_texts WHERE tenant_id = $1 AND document_id = $2 AND version = $3 ORDER BY segment`,
    [run.tenantId, run.documentId, run.version],
  );
  return segments.map((segment) => segment.text).join('');
}

function segmentsOf(text: string): { startOffset: number; text: string }[] {
  const segments = [];
  let offset: number | undefined = 0;
  while (offset !== undefined) {
    const slice: { text: string; nextOffset?: number } = sliceWellFormed(text, offset, segmentLength);
    segments.push({ startOffset: offset, text: slice.text });
    offset = slice.nextOffset;
  }
  return segments;
}
