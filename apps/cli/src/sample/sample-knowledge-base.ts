import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createKnowledgeBase,
  getIngestionStatus,
  listKnowledgeBases,
  submitDocument,
  type Caller,
} from '@lectern/contracts';
import type { ServiceClient } from '@lectern/transport';

const samplesDirectory = join(import.meta.dirname, '..', '..', 'samples');
const settled = new Set(['ready', 'failed', 'needs_ocr']);

export interface SampleOptions {
  client: ServiceClient;
  caller: Caller;
  /** Called with the number of documents that are done and of all. */
  onProgress: (done: number, total: number) => void;
}

/**
 * Fills an installation that has no knowledge base with the sample one, and follows it until every document is done.
 * Doing it again after a kill in the middle gives the same documents.
 */
export async function ensureSample(options: SampleOptions): Promise<void> {
  const { client, caller, onProgress } = options;
  const { items } = await client.call(listKnowledgeBases, {}, { caller });
  if (items.some((item) => item.name !== sample.name)) return;
  const { knowledgeBase } = items[0]
    ? { knowledgeBase: items[0] }
    : await client.call(createKnowledgeBase, { ...sample, idempotencyKey: 'sample' }, { caller });
  const names = (await readdir(samplesDirectory)).toSorted();
  if (knowledgeBase.documentCount >= names.length) return;
  const documentIds: string[] = [];
  for (const fileName of names) {
    const content = await readFile(join(samplesDirectory, fileName), 'utf8');
    const submitted = await client.call(
      submitDocument,
      { knowledgeBaseId: knowledgeBase.id, fileName, content },
      { caller },
    );
    documentIds.push(submitted.documentId);
  }
  await follow(documentIds, options, onProgress);
}

const sample = { name: 'Lectern sample', description: 'Four small documents in English and Chinese.' };

async function follow(
  documentIds: readonly string[],
  { client, caller }: SampleOptions,
  onProgress: SampleOptions['onProgress'],
): Promise<void> {
  for (const [done, documentId] of documentIds.entries()) {
    onProgress(done, documentIds.length);
    for (;;) {
      const { status } = await client.call(getIngestionStatus, { documentId }, { caller });
      if (settled.has(status)) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  onProgress(documentIds.length, documentIds.length);
}
