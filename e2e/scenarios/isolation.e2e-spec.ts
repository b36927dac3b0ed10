import { withAdmin } from '@lectern/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callTool, connectClient, type Era } from '../support/client.js';
import {
  idArgumentsOf,
  secretName,
  secretText,
  storeSecrets,
  type IdArgument,
  type ListedTool,
  type OwnedCursor,
  type OwnedIds,
} from '../support/foreign-ids.js';
import { rawCall, rawToolCall, type RawAnswer } from '../support/raw-call.js';
import { quantile, report } from '../support/report.js';
import { signScore } from '../support/sign-test.js';
import { startTestStack, type TestStack } from '../support/stack.js';
import { countStored } from '../support/storage.js';

const unknown = '01890000-0000-7000-8000-00000000abcd';
const eras: Era[] = ['modern', 'legacy'];

describe('another tenant', () => {
  let stack: TestStack;
  let url: string;
  let stranger: string;
  let ids: OwnedIds;
  let cursor: OwnedCursor;
  let idArguments: IdArgument[];

  beforeAll(async () => {
    stack = await startTestStack();
    url = stack.server.urls[0]!;
    const tenantId = await stack.postgres.createTenant();
    const issued = await stack.postgres.issueToken(tenantId, { name: 'b', subject: 'b', scopes: ['kb:admin'] });
    stranger = issued.token;
    const owner = await connectClient(url, stack.server.token);
    ({ ids, cursor } = await storeSecrets(owner));
    idArguments = idArgumentsOf((await owner.listTools()).tools as ListedTool[]);
    await owner.close();
  });
  afterAll(() => stack.close());

  /** A request as the stranger, who confirms whatever it is. */
  function ask(method: string, params: Record<string, unknown>, era: Era = 'legacy'): Promise<RawAnswer> {
    const headers = { 'x-mcp-confirm': stranger, 'x-request-id': 'the-same-for-all' };
    return rawCall({ url, token: stranger, method, params, era, headers });
  }

  const call = ({ tool, withId }: IdArgument, id: string, era: Era = 'legacy') =>
    ask('tools/call', { name: tool, arguments: withId(id) }, era);

  /** Expects status, headers and body to be the same for both ids, which are of one length. */
  async function expectAlike(id: string, request: (id: string) => Promise<RawAnswer>): Promise<string> {
    const [foreign, none] = [wire(await request(id)), wire(await request(unknown))];
    expect(foreign.replaceAll(id, '…')).toBe(none.replaceAll(unknown, '…'));
    return foreign;
  }

  /** Everything that is stored for the owner, who is the first tenant, as text. */
  function storedSecrets(): Promise<string> {
    return withAdmin(stack.postgres.adminUrl, async (connection) =>
      JSON.stringify([
        await connection.query('SELECT * FROM documents ORDER BY id'),
        await connection.query('SELECT * FROM ingestion_jobs ORDER BY id'),
        await countStored(stack),
      ]),
    );
  }

  it.each(eras)('gets for a foreign id, in every argument of every tool, what an unknown one gets: %s', async (era) => {
    const before = await storedSecrets();
    for (const argument of idArguments) {
      for (const id of Object.values(ids)) {
        const answer = await expectAlike(id, (value) => call(argument, value, era));
        // Refused for its arguments, a call would not have looked for the id.
        expect(answer).toMatch(/"isError\\*":true/);
        expect(answer).toMatch(/not_found/);
      }
    }
    expect(new Set(idArguments.map(({ tool }) => tool)).size).toBeGreaterThanOrEqual(6);
    expect(await storedSecrets()).toBe(before);
  });

  it.each(eras)('gets for a foreign resource what an unknown one gets: %s', async (era) => {
    const listed = await ask('resources/templates/list', {}, era);
    const { result } = JSON.parse(listed.text) as { result: { resourceTemplates: { uriTemplate: string }[] } };
    expect(result.resourceTemplates).not.toEqual([]);
    for (const { uriTemplate } of result.resourceTemplates) {
      for (const id of Object.values(ids)) {
        const uri = (value: string) => uriTemplate.replaceAll(/\{[^}]+\}/g, value);
        expect(await expectAlike(id, (value) => ask('resources/read', { uri: uri(value) }, era))).toContain(
          'There is no',
        );
      }
    }
  });

  it('gets on every HTTP route, with a foreign id in path or query, what an unknown one gets', async () => {
    const routes = ['/mcp', '/mcp/tools', '/mcp/documents', '/documents', '/livez', '/readyz', '/healthz', '/nowhere'];
    for (const route of routes) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        for (const place of [(id: string) => `${route}/${id}`, (id: string) => `${route}?id=${id}&documentId=${id}`]) {
          await expectAlike(ids.documentId, async (id) => {
            const headers = { authorization: `Bearer ${stranger}`, 'x-request-id': 'the-same-for-all' };
            const response = await fetch(new URL(place(id), url), { method, headers });
            const text = (await response.text()).replace(/"uptime_seconds":\d+/, '');
            return { status: response.status, headers: response.headers, text };
          });
        }
      }
    }
  });

  it('gets by a foreign cursor the page that the same place without a document gives', async () => {
    const [createdAt] = JSON.parse(Buffer.from(cursor.value, 'base64url').toString()) as [number];
    expect(Buffer.from(cursor.value, 'base64url').toString()).toContain(cursor.documentId);
    const { status, text } = await ask('tools/call', { name: 'list_documents', arguments: { cursor: cursor.value } });
    const none = await ask('tools/call', { name: 'list_documents', arguments: {} });
    expect(createdAt).toBeGreaterThan(0);
    expect([status, text]).toEqual([none.status, none.text]);
    expect(text).toContain('There are no documents.');
  });

  it('may use a name and bytes that another tenant has, and learns nothing by it', async () => {
    const client = await connectClient(url, stranger);
    const { knowledgeBase } = await callTool<{ knowledgeBase: { id: string } }>(client, 'create_knowledge_base', {
      name: secretName,
    });
    const mine = { knowledgeBaseId: knowledgeBase.id, fileName: 'secret.md', content: secretText };
    const uploaded = await callTool<{ created: boolean; documentId: string }>(client, 'upload_text_document', mine);
    expect(uploaded.created).toBe(true);
    expect(Object.values(ids)).not.toContain(uploaded.documentId);
    const { results } = await callTool<{ results: { documentId: string }[] }>(client, 'search_knowledge_base', {
      query: 'secret drawer',
      top_k: 20,
    });
    expect(results.map((result) => result.documentId)).toEqual([uploaded.documentId]);
    await client.close();
  });

  it('sees nothing of it in any list', async () => {
    const answers = [
      await ask('tools/call', { name: 'list_documents', arguments: {} }),
      await ask('tools/call', { name: 'list_knowledge_bases', arguments: {} }),
      await ask('resources/read', { uri: 'kb://documents' }),
      await ask('resources/read', { uri: 'kb://knowledge-bases' }),
      await ask('tools/call', { name: 'get_mcp_capabilities', arguments: {} }),
    ];
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(text).not.toContain('second secret');
      for (const id of Object.values(ids)) expect(text).not.toContain(id);
    }
  });

  describe('guessing by time', () => {
    const rounds = 300;
    const warmUp = 20;
    const otherUnknown = unknown.replace('abcd', 'abce');

    /** Times in milliseconds of calls with each of three ids, in each round in an order that a coin decides. */
    async function measure(
      candidates: readonly string[],
      request: (id: string) => Promise<unknown>,
    ): Promise<number[][]> {
      const times: number[][] = [];
      for (let round = -warmUp; round < rounds; round += 1) {
        const order = candidates.map((_, at) => ({ at, draw: Math.random() })).toSorted((a, b) => a.draw - b.draw);
        const row: number[] = [];
        for (const { at } of order) {
          const startedAt = performance.now();
          await request(candidates[at]!);
          row[at] = performance.now() - startedAt;
        }
        if (round >= 0) times.push(row);
      }
      return times;
    }

    /** How the first candidate differs from the second, and, as the noise of this machine, the second from the third. */
    function compare(title: string, times: readonly number[][]): { score: number; noise: number } {
      const column = (at: number) => times.map((row) => row[at]!);
      const pairs = (left: number, right: number) => times.map((row): [number, number] => [row[left]!, row[right]!]);
      const [score, noise] = [signScore(pairs(0, 1)), signScore(pairs(1, 2))];
      const medians = [0, 1, 2].map((at) => quantile(column(at), 0.5).toFixed(3)).join(' / ');
      report(title, { 'median ms': medians, score: score.toFixed(2), noise: noise.toFixed(2) });
      return { score, noise };
    }

    it('tells no foreign id from an unknown one, in any argument of any tool', async () => {
      for (const argument of idArguments) {
        const owned = ids[camelCase(argument.argument) as keyof OwnedIds];
        expect([argument.argument, owned]).toEqual([argument.argument, expect.any(String)]);
        const times = await measure([owned, unknown, otherUnknown], (id) => call(argument, id));
        const { score, noise } = compare(`${argument.tool} ${argument.argument}, foreign / unknown / unknown`, times);
        expect([argument.tool, argument.argument, Math.abs(score) < 5]).toEqual([
          argument.tool,
          argument.argument,
          true,
        ]);
        expect(Math.abs(noise)).toBeLessThan(5);
      }
    });

    it('would tell a knowledge base that is there, so that work done for a foreign one would show', async () => {
      const { token } = stack.server;
      const candidates = [ids.knowledgeBaseId, unknown, otherUnknown];
      const times = await measure(candidates, (knowledgeBaseId) =>
        rawToolCall({ url, token, name: 'search_knowledge_base', arguments: { query: 'backup', knowledgeBaseId } }),
      );
      expect(compare('search_knowledge_base by its owner, own / unknown / unknown', times).score).toBeGreaterThan(5);
    });
  });
});

/** Headers that tell the time or follow from the body, which may quote the id. */
const derived = ['date', 'etag', 'content-length'];

function wire({ status, headers, text }: RawAnswer): string {
  return JSON.stringify([status, [...headers].filter(([name]) => !derived.includes(name)), text]);
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
