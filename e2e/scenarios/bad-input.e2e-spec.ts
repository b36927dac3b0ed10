import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@lectern/testing';
import { refusedDocuments, strangeDocuments } from '../support/bad-documents.js';
import { answeredQueries, hostileStrings, refusedQueries } from '../support/bad-queries.js';
import type { Era } from '../support/client.js';
import type { ListedTool } from '../support/foreign-ids.js';
import { leaks } from '../support/leaks.js';
import { rawCall, rawToolCall, toolResultOf, type RawAnswer, type RawToolResult } from '../support/raw-call.js';
import { startTestStack, type TestStack } from '../support/stack.js';
import { countStored, findHalfStored } from '../support/storage.js';

const eras: Era[] = ['modern', 'legacy'];
const inBothEras = (names: string[]): [string, Era][] =>
  names.flatMap((name) => eras.map((era): [string, Era] => [name, era]));

interface Uploaded {
  documentId: string;
  jobId: string;
  status: string;
  created: boolean;
}

describe('bad input', () => {
  let stack: TestStack;
  let knowledgeBaseId: string;
  let good = 0;

  beforeAll(async () => {
    stack = await startTestStack();
    const made = await succeed<{ knowledgeBase: { id: string } }>('create_knowledge_base', { name: 'input' });
    knowledgeBaseId = made.knowledgeBase.id;
  });
  afterAll(() => stack.close());

  function send(
    name: string,
    toolArguments: Record<string, unknown>,
    options: { era?: Era; encode?: (json: string) => Uint8Array } = {},
  ): Promise<RawAnswer> {
    const { urls, token } = stack.server;
    return rawToolCall({ url: urls[0]!, token, name, arguments: toolArguments, ...options });
  }

  async function succeed<Output>(name: string, toolArguments: Record<string, unknown>, era?: Era): Promise<Output> {
    const result = toolResultOf<Output>(await send(name, toolArguments, era ? { era } : {}));
    expect([result.isError ?? false, result.content[0]!.text]).toEqual([false, expect.any(String)]);
    return result.structuredContent!;
  }

  const upload = (fileName: string, content: string, era?: Era) =>
    succeed<Uploaded>('upload_text_document', { knowledgeBaseId, fileName, content }, era);

  /** Expects a question to find a document first. */
  async function expectFound(query: string, documentId: string, era: Era): Promise<void> {
    const found = await succeed<{ results: { documentId: string }[] }>('search_knowledge_base', { query }, era);
    expect(found.results[0]?.documentId).toBe(documentId);
  }

  /** Whatever came before, everything is whole, and the next document is stored and found. */
  async function expectUnharmed(era: Era): Promise<void> {
    // A document is ready a moment before its job is done.
    await eventually('everything to be whole', async () => (await findHalfStored(stack)).length === 0).catch(
      () => undefined,
    );
    expect(await findHalfStored(stack)).toEqual([]);
    good += 1;
    const word = `goodword${good}`;
    const { documentId, status } = await upload(
      `good ${good}.md`,
      `# Good\n\nThe ${word} is kept in room ${good}.`,
      era,
    );
    expect(status).toBe('ready');
    await expectFound(word, documentId, era);
  }

  describe('in a document', () => {
    it.each(inBothEras(Object.keys(refusedDocuments)))(
      '%s is refused, and nothing of it stays: %s',
      async (what, era) => {
        const { content, bytes, status, words } = refusedDocuments[what]!;
        const before = await countStored(stack);
        const mark = 'the bytes come here';
        const answer = await send(
          'upload_text_document',
          { knowledgeBaseId, fileName: 'notes.txt', content: bytes ? mark : content },
          { era, ...(bytes ? { encode: (json) => splice(json, mark, bytes) } : {}) },
        );
        expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(words)]);
        expect(answer.text).not.toMatch(leaks);
        if (status === 200) expect(toolResultOf(answer).isError).toBe(true);
        expect(await countStored(stack)).toEqual(before);
        await expectUnharmed(era);
      },
    );

    it.each(Object.keys(strangeDocuments))('%s is stored whole, and found', async (what) => {
      const { fileName, content, query } = strangeDocuments[what]!;
      const { documentId, jobId } = await upload(fileName, content);
      const done = await eventually(
        `${what} to be ingested`,
        async () => {
          const state = await succeed<{ status: string }>('get_ingestion_status', { jobId });
          return ['ready', 'failed'].includes(state.status) && state;
        },
        240_000,
      );
      expect(done).toMatchObject({ status: 'ready', documentId });
      const { text, totalLength } = await succeed<{ text: string; totalLength: number }>('get_document_content', {
        document_id: documentId,
        limit: 100_000,
      });
      const stored = content.replaceAll('\0', '\ufffd').toWellFormed();
      expect([text, totalLength]).toEqual([stored.slice(0, 100_000), stored.length]);
      for (const era of eras) await expectFound(query, documentId, era);
      await expectUnharmed('modern');
    });

    it('the same bytes, sent many times at once, are one document', async () => {
      const before = await countStored(stack);
      const content = 'Twins of the pangolin reserve arrive at the very same moment.';
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, at) => upload(`twin ${at}.md`, content, eras[at % 2])),
      );
      expect(new Set(answers.map((answer) => answer.documentId)).size).toBe(1);
      expect(new Set(answers.map((answer) => answer.jobId)).size).toBe(1);
      expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 'ready'));
      expect(answers.filter((answer) => answer.created)).toHaveLength(1);
      const after = await countStored(stack);
      for (const name of ['documents', 'ingestion_jobs', 'document_texts', 'chunks', 'chunk_vectors', 'files']) {
        expect([name, after[name]]).toEqual([name, before[name]! + 1]);
      }
      await expectFound('pangolin reserve', answers[0]!.documentId, 'modern');
      await expectUnharmed('legacy');
    });
  });

  describe('in a question', () => {
    interface Found {
      query: string;
      exhaustive: string;
      matched: number;
      results: { rank: number }[];
    }
    const ask = async (query: string, era: Era): Promise<RawToolResult<Found>> => {
      const answer = await send('search_knowledge_base', { query }, { era });
      expect(answer.text).not.toMatch(leaks);
      return toolResultOf<Found>(answer);
    };

    it.each(inBothEras(Object.keys(answeredQueries)))('%s is answered: %s', async (what, era) => {
      const query = answeredQueries[what]!;
      const { isError, content, structuredContent } = await ask(query, era);
      expect([isError ?? false, content[0]!.text]).toEqual([
        false,
        expect.stringMatching(/passage\(s\), best first|Nothing relevant/),
      ]);
      expect(structuredContent).toMatchObject({ exhaustive: 'exact', query: expect.any(String) });
      const { matched, results } = structuredContent!;
      expect(results.map(({ rank }) => rank)).toEqual(Array.from({ length: matched }, (_, at) => at + 1));
      expect(matched).toBeLessThanOrEqual(5);
    });

    it.each(inBothEras(Object.keys(refusedQueries)))('%s is refused, with what to do: %s', async (what, era) => {
      const { query, words } = refusedQueries[what]!;
      const { isError, content } = await ask(query, era);
      expect([isError, content[0]!.text]).toEqual([true, expect.stringMatching(words)]);
    });

    it('nothing hostile, in any text of any tool that reads, breaks or changes anything', async () => {
      const { urls, token } = stack.server;
      const before = await countStored(stack);
      const listed = await rawCall({ url: urls[0]!, token, method: 'tools/list', params: {} });
      const { tools } = (JSON.parse(listed.text) as { result: { tools: (ListedTool & { annotations: object })[] } })
        .result;
      let sent = 0;
      for (const tool of tools.filter(({ annotations }) => 'readOnlyHint' in annotations && annotations.readOnlyHint)) {
        for (const argument of Object.keys(tool.inputSchema.properties ?? {})) {
          for (const [at, text] of hostileStrings.entries()) {
            const toolArguments = { query: 'ships', [argument]: text };
            const answer = await send(tool.name, toolArguments, { era: eras[at % 2]! });
            expect([tool.name, argument, text, answer.status]).toEqual([tool.name, argument, text, 200]);
            expect(answer.text).not.toMatch(leaks);
            sent += 1;
          }
        }
      }
      for (const text of hostileStrings) {
        for (const era of eras) {
          const uri = `kb://documents/${encodeURIComponent(text.toWellFormed())}`;
          const answer = await rawCall({ url: urls[0]!, token, method: 'resources/read', params: { uri }, era });
          expect([uri, answer.status < 500]).toEqual([uri, true]);
          expect(answer.text).not.toMatch(leaks);
        }
      }
      expect(sent).toBeGreaterThan(100);
      expect(await countStored(stack)).toEqual(before);
      await expectUnharmed('modern');
    });
  });
});

/** A text with bytes in place of a mark. */
function splice(text: string, mark: string, bytes: Uint8Array): Uint8Array {
  const at = text.indexOf(mark);
  return Buffer.concat([Buffer.from(text.slice(0, at)), bytes, Buffer.from(text.slice(at + mark.length))]);
}
