import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@lectern/testing';
import { callTool, connectClient } from '../support/client.js';
import { processTree } from '../support/processes.js';
import { startServer } from '../support/server-process.js';

const kills = 20;
const documentCount = 40;

interface Listed {
  id: string;
  title: string;
  status: string;
  chunkCount: number;
}

/** Several chunks, all different. */
const contentOf = (number: number): string =>
  Array.from({ length: 6 }, (_, part) => `Document ${number}, part ${part}. ${'文字与 words '.repeat(60)}`).join(
    '\n\n',
  );

describe('an import whose process is killed again and again', () => {
  let dataDir: string;
  const start = () => startServer(['start', '--port', '0', '--data-dir', dataDir, '--no-sample']);

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'lectern-kill-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it('ends with every accepted document ready once, without a chunk too many', async () => {
    let server = await start();
    const { token } = server;
    let client = await connectClient(server.urls[0]!, token);
    const { knowledgeBase } = await callTool<{ knowledgeBase: { id: string } }>(client, 'create_knowledge_base', {
      name: 'killed',
    });
    const upload = (number: number) =>
      callTool<{ documentId: string }>(client, 'upload_text_document', {
        knowledgeBaseId: knowledgeBase.id,
        fileName: `${number}.txt`,
        content: contentOf(number),
      });
    const accepted = new Set<number>();
    const childPids: number[] = [];
    for (let round = 0; round < kills; round += 1) {
      const importing = importAll(accepted, upload);
      await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 1500));
      childPids.push(...processTree(server.child.pid!).map((one) => one.pid));
      await server.stop('SIGKILL');
      await importing;
      await client.close().catch(() => undefined);
      server = await start();
      client = await connectClient(server.urls[0]!, token);
    }
    await importAll(accepted, upload);
    expect(accepted.size).toBe(documentCount);

    const documents = await eventually(
      'every document to be ready',
      async () => {
        const { items } = await callTool<{ items: Listed[] }>(client, 'list_documents', {
          knowledgeBaseId: knowledgeBase.id,
          limit: 200,
        });
        return items.every((item) => item.status === 'ready') ? items : undefined;
      },
      90_000,
    );
    expect(documents.map((item) => item.title).toSorted()).toEqual(
      Array.from({ length: documentCount }, (_, number) => `${number}.txt`).toSorted(),
    );
    // All documents are of one shape, so each has the same number of chunks; a search of one shows each of them once.
    expect(new Set(documents.map((item) => item.chunkCount)).size).toBe(1);
    const { results } = await callTool<{ results: { chunkId: string; chunkIndex: number; document_title: string }[] }>(
      client,
      'search_knowledge_base',
      { query: 'Document 7, part', top_k: 20 },
    );
    const places = results.map((result) => `${result.document_title}#${result.chunkIndex}`);
    expect(new Set(places).size).toBe(places.length);
    await client.close();
    await server.stop();
    await eventually('no process to be left', () => childPids.every((pid) => processTree(pid).length === 0));
  });
});

/** Uploads what was not accepted yet, and ends quietly when the server goes away. */
async function importAll(accepted: Set<number>, upload: (number: number) => Promise<unknown>): Promise<void> {
  for (let number = 0; number < documentCount; number += 1) {
    if (accepted.has(number)) continue;
    try {
      await upload(number);
      accepted.add(number);
    } catch {
      return;
    }
  }
}
