import { describe, expect, it } from '@jest/globals';
import { runAlone } from '../../../test/run-alone.js';
import { listDocumentsTool } from './list-documents.tool.js';

const item = {
  id: '0190a1b2-c3d4-7e5f-8a6b-222222222222',
  knowledgeBaseId: '0190a1b2-c3d4-7e5f-8a6b-111111111111',
  title: 'leave.md',
  contentType: 'md',
  status: 'failed',
  error: { code: 'empty', message: 'The file has no text. Upload one that has.' },
  byteCount: 20,
  charCount: 20,
  chunkCount: 0,
  preview: 'Annual leave',
  createdAt: '2026-01-01T00:00:00.000Z',
};
const list = 'retrieval.list_documents';

describe('list_documents', () => {
  it('answers in both forms, with the reason of a failure and the cursor of the next page', async () => {
    const answers = { [list]: { items: [item], nextCursor: 'c1' } };
    const { output, text, asked } = await runAlone(listDocumentsTool, { status: 'failed', limit: 999 }, answers);
    expect(asked[0]?.input).toEqual({ status: 'failed', limit: 200 });
    expect(output).toMatchObject({ items: [item], nextCursor: 'c1' });
    expect(text).toMatch(/^1 document\(s\), and more with cursor c1:/);
    expect(text).toContain('empty: The file has no text.');
  });

  it('keeps titles and previews inside the envelope', async () => {
    const { text } = await runAlone(listDocumentsTool, {}, { [list]: { items: [item] } });
    const opening = text.search(/^<lectern-untrusted-/m);
    for (const said of [item.title, item.preview]) expect(text.indexOf(said)).toBeGreaterThan(opening);
  });

  it('says in a sentence that there are none', async () => {
    expect((await runAlone(listDocumentsTool, {}, { [list]: { items: [] } })).text).toBe('There are no documents.');
  });
});
