import { describe, expect, it } from '@jest/globals';
import { runAlone } from '../../../test/run-alone.js';
import { getIngestionStatusTool } from './get-ingestion-status.tool.js';

const id = '0190a1b2-c3d4-7e5f-8a6b-222222222222';
const state = {
  jobId: id,
  documentId: id,
  knowledgeBaseId: id,
  status: 'processing',
  stage: 'embed',
  chunksTotal: 10,
  chunksEmbedded: 4,
  attempts: 1,
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const ask = 'retrieval.get_ingestion_status';

describe('get_ingestion_status', () => {
  it.each([
    [{}, /is processing, stage embed, 4 of 10 chunk\(s\) embedded\. Ask get_ingestion_status/],
    [{ status: 'ready' }, /is ready: its 10 chunk\(s\) can be searched/],
    [
      { status: 'failed', error: { code: 'too_large', message: 'Split the file.' } },
      /failed \(too_large\): Split the file\./,
    ],
    [{ status: 'needs_ocr' }, /has no text layer/],
  ])('answers %j in words that say what to do next', async (change, words) => {
    const { output, text } = await runAlone(getIngestionStatusTool, { jobId: id }, { [ask]: { ...state, ...change } });
    expect(output).toEqual({ ...state, ...change });
    expect(text).toMatch(words);
  });

  it('takes one id, not two', async () => {
    const { isError, asked } = await runAlone(getIngestionStatusTool, { jobId: id, documentId: id });
    expect([isError, asked]).toEqual([true, []]);
  });
});
