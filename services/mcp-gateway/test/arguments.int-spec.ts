import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startGateway, toolCall, type GatewayFixture } from './gateway-fixture.js';
import { ids } from './stub-services.js';

let gateway: GatewayFixture;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

async function call(name: string, args: Record<string, unknown>): Promise<{ isError?: boolean; text: string }> {
  const response = await gateway.post(toolCall(name, args), { headers: { 'x-request-id': 'r1' } });
  const { result } = (await response.json()) as { result: { isError?: boolean; content: { text: string }[] } };
  return { ...result, text: result.content[0]!.text };
}

describe('arguments', () => {
  it.each([
    [{ top_k: 99 }, 20],
    [{ topK: 0 }, 1],
    [{ top_k: -3 }, 1],
    [{ top_k: 7.9 }, 7],
    [{ top_k: 7, topK: 7 }, 7],
    [{}, 5],
  ])('clamp %j to %i', async (given, topK) => {
    expect((await call('search_knowledge_base', { query: 'x', ...given })).isError ?? false).toBe(false);
    expect(gateway.journal.last('search_chunks')).toMatchObject({ topK });
  });

  it('come in either spelling and UUIDs in either case', async () => {
    const upper = ids.document.toUpperCase();
    await call('get_document_content', { documentId: upper });
    expect(gateway.journal.last('get_document_content')).toMatchObject({ documentId: ids.document });
    await call('search_knowledge_base', { query: 'x', knowledge_base_id: ids.knowledgeBase });
    expect(gateway.journal.last('search_chunks')).toMatchObject({ knowledgeBaseId: ids.knowledgeBase });
  });

  it.each([
    [
      'two values for one argument',
      'search_knowledge_base',
      { query: 'x', top_k: 1, topK: 2 },
      /top_k and topK name the same/,
    ],
    ['an unknown argument', 'search_knowledge_base', { query: 'x', tenant_id: 'y' }, /Unrecognized key: "tenant_id"/],
    ['a missing argument', 'search_knowledge_base', {}, /query: Invalid input: expected string/],
    ['a blank question', 'search_knowledge_base', { query: ' \n' }, /query: is empty/],
    ['a long question', 'search_knowledge_base', { query: 'a'.repeat(8193) }, /query: .*8192 characters.*fewer words/],
    ['a bad id', 'get_document_content', { document_id: "x' OR 1" }, /document_id: takes a UUID, not "x' OR 1"/],
    ['neither id', 'get_ingestion_status', {}, /give either jobId or documentId/],
    [
      'another file type',
      'upload_text_document',
      { knowledgeBaseId: ids.knowledgeBase, fileName: 'a.pdf', content: 'x' },
      /fileName: takes a name that ends in .txt, .md or .csv/,
    ],
    [
      'no text',
      'upload_text_document',
      { knowledgeBaseId: ids.knowledgeBase, fileName: 'a.md', content: '' },
      /content: is empty; give the text/,
    ],
    [
      'too much text',
      'upload_text_document',
      { knowledgeBaseId: ids.knowledgeBase, fileName: 'a.md', content: '年'.repeat(90_000) },
      /content: takes at most 262144 bytes.* split the text and upload its parts/,
    ],
  ])('are refused with %s, in words that say what is wrong', async (_, name, args, message) => {
    const asked = gateway.journal.requests.length;
    const { isError, text } = await call(name, args);
    expect(isError).toBe(true);
    expect(text).toMatch(message);
    expect(text).toMatch(/\(request r1\)$/);
    expect(gateway.journal.requests).toHaveLength(asked);
  });
});

describe('failures of services', () => {
  it('tell nothing that was not meant for the caller', async () => {
    gateway.journal.before = () => Promise.reject(new Error('password of postgres://secret'));
    const { isError, text } = await call('list_documents', {});
    gateway.journal.before = async () => undefined;
    expect(isError).toBe(true);
    expect(text).toMatch(
      /^Lectern failed to answer\. Report the error id [0-9a-f-]{36} to its operator\. \(request r1\)$/,
    );
  });

  it('are counted by tool, permission and code', async () => {
    const metrics = await gateway.metrics.registry.metrics();
    expect(metrics).toMatch(
      /mcp_tool_duration_seconds_count\{[^}]*tool="search_knowledge_base",permission="read-only",outcome="invalid_request"\}/,
    );
    expect(metrics).toMatch(/tool="list_documents",permission="read-only",outcome="internal"/);
  });
});
