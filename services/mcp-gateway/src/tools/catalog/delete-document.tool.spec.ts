import { describe, expect, it } from '@jest/globals';
import { runAlone } from '../../../test/run-alone.js';
import { deleteDocumentTool } from './delete-document.tool.js';

const documentId = '0190a1b2-c3d4-7e5f-8a6b-222222222222';
const receipt = {
  documentId,
  knowledgeBaseId: documentId,
  title: 'leave.md',
  deleted: { chunks: 4, vectors: 4, blobs: 1, jobs: 2 },
};

describe('delete_document', () => {
  it('answers a receipt with counts once it is confirmed', async () => {
    const answers = { 'ingestion.delete_document': receipt };
    const { output, text } = await runAlone(deleteDocumentTool, { documentId }, answers, { confirmed: true });
    expect(output).toMatchObject(receipt);
    expect(text).toMatch(/4 chunk\(s\), 4 vector\(s\), 1 file\(s\), 2 job\(s\)/);
    expect(text.indexOf('leave.md')).toBeGreaterThan(text.search(/^<lectern-untrusted-/m));
  });

  it('does nothing unconfirmed', async () => {
    const { isError, text, asked } = await runAlone(deleteDocumentTool, { document_id: documentId });
    expect([isError, asked]).toEqual([true, []]);
    expect(text).toContain('a person has to confirm it first');
  });
});
