import { describe, expect, it } from '@jest/globals';
import { runAlone } from '../../../test/run-alone.js';
import { getDocumentContentTool } from './get-document-content.tool.js';

const documentId = '0190a1b2-c3d4-7e5f-8a6b-222222222222';
const slice = { documentId, title: 'leave.md', text: 'Annual leave', offset: 8, totalLength: 40 };
const read = 'retrieval.get_document_content';

describe('get_document_content', () => {
  it('asks for the first 8,000 units unless told otherwise', async () => {
    const { asked } = await runAlone(getDocumentContentTool, { document_id: documentId }, { [read]: slice });
    expect(asked).toEqual([{ operation: read, input: { documentId, offset: 0, limit: 8000 } }]);
  });

  it('says where to go on when text follows', async () => {
    const answers = { [read]: { ...slice, nextOffset: 20 } };
    const { output, text } = await runAlone(getDocumentContentTool, { documentId, offset: 8 }, answers);
    expect(output).toMatchObject({ ...slice, nextOffset: 20, truncated: true, security: { untrusted: true } });
    expect(text).toMatch(/from 8 to 20 of 40\. More follows: call again with offset 20\./);
    expect(text).toContain('Annual leave');
  });

  it('says that the end is reached', async () => {
    const { output, text } = await runAlone(getDocumentContentTool, { documentId }, { [read]: slice });
    expect(output).toMatchObject({ truncated: false });
    expect(text).not.toContain('More follows');
  });
});
