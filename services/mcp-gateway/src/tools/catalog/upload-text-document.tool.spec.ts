import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@lectern/contracts';
import { runAlone } from '../../../test/run-alone.js';
import { uploadTextDocumentTool } from './upload-text-document.tool.js';

const id = '0190a1b2-c3d4-7e5f-8a6b-222222222222';
const args = { knowledgeBaseId: id, fileName: 'leave.MD', content: '年假' };
const submit = 'ingestion.submit_document';
const look = 'retrieval.get_ingestion_status';
const submitted = { documentId: id, jobId: id, status: 'queued', created: true };

function state(status: string, stage?: string, chunksEmbedded = 0) {
  const updatedAt = '2026-01-01T00:00:00.000Z';
  return {
    ...{ jobId: id, documentId: id, knowledgeBaseId: id, status, stage, chunksTotal: 4, chunksEmbedded, attempts: 1 },
    updatedAt,
  };
}

describe('upload_text_document', () => {
  it('waits until the document is ready and tells how far it is, never backwards', async () => {
    const states = [state('queued'), state('processing', 'embed', 2), state('processing', 'parse'), state('ready')];
    const outcome = await runAlone(uploadTextDocumentTool, args, { [submit]: submitted, [look]: () => states.shift() });
    expect(outcome.output).toMatchObject({ status: 'ready', created: true, fileName: 'leave.MD', chunksTotal: 4 });
    expect(outcome.progress.map(({ percent }) => percent)).toEqual([0, 55, 100]);
    expect(outcome.text).toMatch(/^Stored\. Document .* is ready/);
  });

  it('says that the bytes were there already', async () => {
    const answers = { [submit]: { ...submitted, status: 'ready', created: false }, [look]: state('ready') };
    const { output, text } = await runAlone(uploadTextDocumentTool, args, answers);
    expect(output).toMatchObject({ created: false, status: 'ready' });
    expect(text).toMatch(/were there already/);
  });

  it('answers a failed document with its reason', async () => {
    const error = { code: 'empty', message: 'The file has no text.' };
    const answers = { [submit]: submitted, [look]: { ...state('failed'), error } };
    const { isError, output, text } = await runAlone(uploadTextDocumentTool, args, answers);
    expect(isError).toBe(false);
    expect(output).toMatchObject({ status: 'failed', error });
    expect(text).toContain('The file has no text.');
  });

  it('answers the job when time runs short or nobody can say how far it is', async () => {
    const down = () => {
      throw new ServiceError('unavailable', 'Try again.');
    };
    const soon = { deadline: Date.now() + 2100 };
    for (const answer of [down, state('queued')]) {
      const { output, text } = await runAlone(
        uploadTextDocumentTool,
        args,
        { [submit]: submitted, [look]: answer },
        soon,
      );
      expect(output).toMatchObject({ status: 'queued', jobId: id });
      expect(text).toContain(`get_ingestion_status with jobId ${id}`);
    }
  });

  it('says that the document was deleted while it waited', async () => {
    const states = [state('queued'), state('processing', 'parse')];
    const looks = () => {
      if (states.length > 0) return states.shift();
      throw new ServiceError('not_found', 'There is no such document.');
    };
    const { isError, text } = await runAlone(uploadTextDocumentTool, args, { [submit]: submitted, [look]: looks });
    expect(isError).toBe(true);
    expect(text).toMatch(/^The document was stored, and deleted while this call waited\..* Upload it again/);
  });

  it.each(['leave.pdf', 'leave', '.md', ''])('refuses the file name "%s"', async (fileName) => {
    const { isError, asked } = await runAlone(uploadTextDocumentTool, { ...args, fileName });
    expect([isError, asked]).toEqual([true, []]);
  });
});
