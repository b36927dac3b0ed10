import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type AdminSession } from '@lectern/testing';
import type { Client } from '@modelcontextprotocol/client';
import { callTool, connectClient } from '../support/client.js';
import { isWhole, untilIngested, untilNothingIsPending } from '../support/invariants.js';
import { Load } from '../support/load.js';
import { ownerOfPort, processTree } from '../support/processes.js';
import { replaceReplica, replicaPid, replicasOf, untilReady } from '../support/replicas.js';
import { report } from '../support/report.js';
import { startTestStack, type TestStack } from '../support/stack.js';
import { closeGate, type TableGate } from '../support/table-gate.js';

interface Upload {
  documentId: string;
  status: string;
}
interface Job {
  stage: string;
  attempts: number;
  embedded: number;
  total: number;
}

describe('two replicas of each service, of which one is killed', () => {
  let stack: TestStack;
  let client: Client;
  let database: AdminSession;
  let knowledgeBaseId: string;

  beforeAll(async () => {
    stack = await startTestStack({
      replicas: 2,
      // A killed run is taken over within seconds.
      environment: { INGESTION_LEASE_MS: '2000', INGESTION_SWEEP_INTERVAL_MS: '500' },
    });
    const { urls, token } = stack.server;
    client = await connectClient(`${urls[0]!}?confirm_token=${token}`, token);
    database = await stack.postgres.connect();
    const { knowledgeBase } = await callTool<{ knowledgeBase: { id: string } }>(client, 'create_knowledge_base', {
      name: 'killed',
    });
    knowledgeBaseId = knowledgeBase.id;
  });
  afterAll(async () => {
    await client.close();
    await database.close();
    await stack.close();
  });

  function upload(name: string, parts = 2): Promise<Upload> {
    const part = (index: number) => `${name}, part ${index}. ${'文字与 words '.repeat(60)}`;
    return callTool<Upload>(client, 'upload_text_document', {
      knowledgeBaseId,
      fileName: `${name}.txt`,
      content: Array.from({ length: parts }, (_, index) => part(index)).join('\n\n'),
    });
  }

  async function jobOf(name: string): Promise<Job | undefined> {
    const [job] = await database.query<Job>(
      `SELECT j.stage, j.attempts, j.chunks_embedded AS embedded, j.chunks_total AS total
       FROM ingestion_jobs j JOIN documents d ON d.id = j.document_id WHERE d.title = $1`,
      [`${name}.txt`],
    );
    return job;
  }

  const pidsOf = (service: string): number[] =>
    replicasOf(stack, service).flatMap((name) => replicaPid(stack, name) ?? []);

  /** Kills the replica of ingestion that waits at a gate, and gives how many of its writes did. */
  async function killTheOneAt(gate: TableGate): Promise<number> {
    const pids = pidsOf('ingestion');
    const owners = (await gate.waiting()).map((port) => ownerOfPort(port, pids));
    const [victim] = owners;
    expect(victim).toBeDefined();
    process.kill(victim!, 'SIGKILL');
    return owners.filter((owner) => owner === victim).length;
  }

  /** Nothing is under way, and every document is whole, the accepted ones among them. */
  async function expectEverythingWhole(accepted: readonly { documentId: string }[]): Promise<void> {
    await untilNothingIsPending(stack);
    const documents = await untilIngested(stack, 60_000);
    expect(documents.filter((document) => !isWhole(document))).toEqual([]);
    const ids = documents.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(accepted.map(({ documentId }) => documentId)));
  }

  /** Closes the way of a document in the stage; what comes first passes. */
  async function holdIn(stage: string, name: string): Promise<{ gate: TableGate; uploading: Promise<Upload> }> {
    const tables: Record<string, string> = { parse: 'document_texts', chunk: 'chunks', embed: 'chunk_vectors' };
    const first = await closeGate(stack, tables[stage] ?? 'chunk_vectors');
    const uploading = upload(name);
    await eventually(`${name} to be held`, async () => (await first.waiting()).length > 0);
    if (stage !== 'switch') return { gate: first, uploading };
    // A run begins by a write to the documents, as it ends by one.
    const last = await closeGate(stack, 'documents');
    await first.open();
    await eventually('the switch to be held', async () => (await last.waiting()).length > 0);
    return { gate: last, uploading };
  }

  it.each(['parse', 'chunk', 'embed', 'switch'])('ingests a document once when its run dies in %s', async (stage) => {
    await untilReady(stack, 'ingestion');
    const name = `dies in ${stage}`;
    const { gate, uploading } = await holdIn(stage, name);
    expect((await jobOf(name))?.stage).toBe(stage);
    await killTheOneAt(gate);
    await gate.open();
    await expectEverythingWhole([await uploading]);
    expect(await jobOf(name)).toMatchObject({ attempts: 2 });
  });

  it('ingests a document once when the embedding children die', async () => {
    const name = 'children die';
    const uploading = upload(name, 60);
    const killed = new Set<number>();
    for (let round = 0; round < 2; round += 1) {
      await eventually('it to embed', async () => {
        const job = await jobOf(name);
        return job?.stage === 'embed' && job.embedded < job.total;
      });
      const parents = pidsOf('embedding');
      const children = await eventually('both children to be up', () => {
        const found = parents.flatMap((parent) => processTree(parent).filter((one) => one.parent === parent));
        return found.length === parents.length && found.every(({ pid }) => !killed.has(pid)) && found;
      });
      for (const { pid } of children) {
        process.kill(pid, 'SIGKILL');
        killed.add(pid);
      }
    }
    await expectEverythingWhole([await uploading]);
  });

  it('loses no repeatable call when any service loses a replica', async () => {
    const { urls, token } = stack.server;
    const load = await Load.start({ urls, token, knowledgeBaseId });
    for (const service of ['retrieval', 'ingestion', 'embedding']) {
      const before = load.calls.length;
      await replaceReplica(stack, `${service}-0`, 'SIGKILL');
      await eventually('calls to be made since', () => load.calls.length > before + 20);
    }
    await load.stop();
    expect(load.calls.filter(({ failure }) => failure)).toEqual([]);
    await expectEverythingWhole(load.accepted);
    report('kill -9 of a replica of each service', { calls: load.calls.length, documents: load.accepted.length });
  });

  it('runs no deletion a second time', async () => {
    await untilReady(stack, 'ingestion');
    const ids: string[] = [];
    for (let number = 0; number < 8; number += 1) ids.push((await upload(`deleted ${number}`)).documentId);
    const gate = await closeGate(stack, 'chunk_vectors');
    const outcomes = ids.map((documentId) =>
      callTool(client, 'delete_document', { documentId }).then(() => 'deleted', String),
    );
    await eventually('all deletions to be held', async () => (await gate.waiting()).length === ids.length);
    const killed = await killTheOneAt(gate);
    const unknown = new Set<string>();
    outcomes.forEach((outcome, index) => void outcome.then((text) => text !== 'deleted' && unknown.add(ids[index]!)));
    // While the gate is closed, whoever ran one again would wait behind it.
    await eventually('the callers to hear of it', () => unknown.size === killed);
    await gate.open();
    const texts = await Promise.all(outcomes);
    expect(texts.filter((text) => /unknown whether the change was made\. Look before/.test(text))).toHaveLength(killed);
    expect(texts.filter((text) => text === 'deleted')).toHaveLength(ids.length - killed);
    await untilNothingIsPending(stack);
    const rows = await database.query<{ id: string }>('SELECT id FROM documents WHERE id = ANY ($1)', [ids]);
    expect(new Set(rows.map(({ id }) => id))).toEqual(unknown);
    for (const documentId of unknown) await callTool(client, 'delete_document', { documentId });
  });
});
