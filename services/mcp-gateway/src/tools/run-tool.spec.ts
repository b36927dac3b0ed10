import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@lectern/contracts';
import { testCaller } from '@lectern/testing';
import { runAlone } from '../../test/run-alone.js';
import { deleteDocumentTool } from './catalog/delete-document.tool.js';
import { listKnowledgeBasesTool } from './catalog/list-knowledge-bases.tool.js';

const list = 'retrieval.list_knowledge_bases';
const document = '0190a1b2-c3d4-7e5f-8a6b-222222222222';
const fail = (error: Error) => () => {
  throw error;
};

describe('ToolRunner', () => {
  it('says what to do next and when', async () => {
    const busy = new ServiceError('unavailable', 'The service is busy. Try again.', { retryAfterMs: 1500 });
    expect(await runAlone(listKnowledgeBasesTool, {}, { [list]: fail(busy) })).toMatchObject({
      isError: true,
      output: undefined,
      text: 'The service is busy. Try again. Wait 2 s before that. (request r1)',
    });
  });

  it('keeps a defect to itself, also one of an answer that breaks its schema', async () => {
    for (const answer of [fail(new Error('SELECT secret')), { items: [{ id: 'no uuid' }] }]) {
      const { isError, text } = await runAlone(listKnowledgeBasesTool, {}, { [list]: answer });
      expect([isError, text]).toEqual([
        true,
        'Lectern failed to answer. Report the error id r1 to its operator. (request r1)',
      ]);
    }
  });

  it('lets no key out that its output schema does not name, and no lone surrogate', async () => {
    const item = {
      id: document,
      name: 'a\ud800',
      description: '',
      documentCount: 0,
      createdAt: '2026-01-01T00:00:00Z',
    };
    const { output, text } = await runAlone(
      listKnowledgeBasesTool,
      {},
      { [list]: { items: [{ ...item, secret: 1 }] } },
    );
    expect(output?.items).toEqual([{ ...item, name: 'a\ufffd' }]);
    expect(text.isWellFormed()).toBe(true);
  });

  it('asks nobody when access, arguments or confirmation fail', async () => {
    const args = { documentId: document };
    const caller = testCaller(document, { scopes: ['kb:read'] });
    const refusals = await Promise.all([
      runAlone(deleteDocumentTool, args, {}, { caller, confirmed: true }),
      runAlone(deleteDocumentTool, args, {}, { readOnly: true, confirmed: true }),
      runAlone(deleteDocumentTool, { documentId: 'x' }, {}, { confirmed: true }),
      runAlone(deleteDocumentTool, args),
    ]);
    for (const refusal of refusals) expect([refusal.isError, refusal.asked]).toEqual([true, []]);
    expect(refusals.map(({ text }) => text)).toEqual([
      expect.stringContaining('needs the scope kb:danger'),
      expect.stringContaining('Tool delete_document not found.'),
      expect.stringContaining('takes a UUID'),
      expect.stringContaining('Nothing was done'),
    ]);
  });
});
