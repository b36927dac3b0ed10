import type { Client } from '@modelcontextprotocol/client';
import { callTool } from '@lectern/e2e';
import { eventually } from '@lectern/testing';
import { randomNumbers } from './random-numbers.js';
import { syntheticSentence } from './synthetic-texts.js';

type Kind = 'search' | 'get' | 'upload' | 'delete';

/** One call, in milliseconds from when it was due to its answer. */
export interface Call {
  kind: Kind;
  latency: number;
  /** Why it failed. */
  error?: string;
}

/** Of twenty calls; as many uploads as deletes, so that what is stored stays as it is. */
const mixture: readonly Kind[] = [
  ...['search', 'search', 'get', 'search', 'upload', 'search', 'search', 'get', 'search', 'delete'],
  ...['search', 'search', 'get', 'search', 'upload', 'search', 'search', 'get', 'search', 'delete'],
] as Kind[];

const lasting = 40;
const passing = 20;

/** Calls as agents make them, over one knowledge base: some documents last, others come and go. */
export class SoakLoad {
  private readonly clients: readonly Client[];
  private readonly random = randomNumbers(3);
  private readonly kept: string[] = [];
  private readonly oldestFirst: string[] = [];
  private uploads = 0;
  private knowledgeBaseId = '';

  constructor(clients: readonly Client[]) {
    this.clients = clients;
  }

  /** Makes the knowledge base and its first documents. */
  async prepare(): Promise<void> {
    const client = this.clients[0]!;
    const { knowledgeBase } = await callTool<{ knowledgeBase: { id: string } }>(client, 'create_knowledge_base', {
      name: 'soak',
    });
    this.knowledgeBaseId = knowledgeBase.id;
    while (this.kept.length < lasting) this.kept.push(await this.upload(client));
    while (this.oldestFirst.length < passing) this.oldestFirst.push(await this.upload(client));
    await eventually('the first documents to be ready', async () => {
      const { items } = await callTool<{ items: unknown[] }>(client, 'list_documents', { status: 'ready', limit: 200 });
      return items.length === lasting + passing;
    });
  }

  /** Calls for so long, each due at its time whatever the others take; without a rate as fast as it goes. */
  async run(seconds: number, perSecond?: number): Promise<Call[]> {
    const calls: Call[] = [];
    const startedAt = performance.now();
    let number = 0;
    await Promise.all(
      this.clients.map(async (client) => {
        for (;;) {
          const dueAt = perSecond ? startedAt + (number / perSecond) * 1000 : performance.now();
          if (dueAt > startedAt + seconds * 1000) return;
          const kind = mixture[number % mixture.length]!;
          number += 1;
          await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAt - performance.now())));
          const error = await this.call(client, kind).then(
            () => undefined,
            (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
          );
          calls.push({ kind, latency: performance.now() - dueAt, ...(error === undefined ? {} : { error }) });
        }
      }),
    );
    return calls;
  }

  private async call(client: Client, kind: Kind): Promise<void> {
    switch (kind) {
      case 'search':
        return void (await callTool(client, 'search_knowledge_base', { query: this.sentence(8) }));
      case 'get':
        return void (await callTool(client, 'get_document_content', {
          document_id: this.kept[Math.floor(this.random() * this.kept.length)]!,
        }));
      case 'upload':
        this.oldestFirst.push(await this.upload(client));
        return;
      case 'delete': {
        const documentId = this.oldestFirst.shift();
        // Uploads may be slower than deletes for a moment.
        if (documentId) await callTool(client, 'delete_document', { documentId });
      }
    }
  }

  private async upload(client: Client): Promise<string> {
    this.uploads += 1;
    const { documentId, status } = await callTool<{ documentId: string; status: string }>(
      client,
      'upload_text_document',
      {
        knowledgeBaseId: this.knowledgeBaseId,
        fileName: `document ${this.uploads}.md`,
        content: `# Document ${this.uploads}\n\n${Array.from({ length: 8 }, () => this.sentence(12)).join('')}`,
      },
    );
    if (status === 'failed') throw new Error('the document failed');
    return documentId;
  }

  private sentence(length: number): string {
    return syntheticSentence(this.random() < 0.5 ? 'zh' : 'en', length, this.random);
  }
}
