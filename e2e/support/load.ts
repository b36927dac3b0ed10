import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import { connectClient } from './client.js';

/** A call as its client saw it. */
export interface ObservedCall {
  tool: string;
  tookMs: number;
  /** What a failure said; absent where there was an answer. */
  failure?: string;
}

export interface AcceptedUpload {
  documentId: string;
  /** A word that no other document has. */
  word: string;
}

export interface LoadOptions {
  /** Endpoints, which the clients take in turn. */
  urls: readonly string[];
  token: string;
  knowledgeBaseId: string;
}

const uploaders = 2;
const readers = 4;
const pauseMs = 30;
let words = 0;

/** Agents at work, each with a client of its own: some upload documents, the others search and read them. */
export class Load {
  readonly calls: ObservedCall[] = [];
  readonly accepted: AcceptedUpload[] = [];
  private stopping = false;
  private workers: Promise<void>[] = [];

  /** Resolves when every client is connected and has begun. */
  static async start(options: LoadOptions): Promise<Load> {
    const load = new Load(options);
    const clients = await Promise.all(
      Array.from({ length: uploaders + readers }, (_, index) =>
        connectClient(options.urls[index % options.urls.length]!, options.token),
      ),
    );
    load.workers = clients.map((client, index) => load.work(client, index < uploaders));
    return load;
  }

  private constructor(private readonly options: LoadOptions) {}

  /** Lets every call that was begun end. */
  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.workers);
  }

  private async work(client: Client, uploads: boolean): Promise<void> {
    for (let round = 0; !this.stopping; round += 1) {
      await (uploads ? this.upload(client) : this.read(client, round));
      await pause(pauseMs);
    }
    await client.close();
  }

  private async upload(client: Client): Promise<void> {
    const { knowledgeBaseId } = this.options;
    words += 1;
    const word = `word${words.toString(36)}x${Math.random().toString(36).slice(2)}`;
    const content = Array.from({ length: 3 }, (_, part) => `${word} part ${part}. ${'文字与 words '.repeat(60)}`);
    const answer = await this.call<{ documentId: string }>(client, 'upload_text_document', {
      knowledgeBaseId,
      fileName: `${word}.txt`,
      content: content.join('\n\n'),
    });
    if (answer) this.accepted.push({ documentId: answer.documentId, word });
  }

  private async read(client: Client, round: number): Promise<void> {
    const known = this.accepted.at(-1);
    if (round % 3 === 0 || !known)
      await this.call(client, 'search_knowledge_base', { query: `question ${Math.random()}` });
    else if (round % 3 === 1) await this.call(client, 'get_document_content', { documentId: known.documentId });
    else await this.call(client, 'list_documents', { limit: 20 });
  }

  private async call<Answer>(client: Client, tool: string, args: Record<string, unknown>): Promise<Answer | undefined> {
    const started = performance.now();
    try {
      const result = await client.callTool({ name: tool, arguments: args });
      const failure = result.isError ? JSON.stringify(result.content) : undefined;
      this.calls.push({ tool, tookMs: performance.now() - started, ...(failure && { failure }) });
      return failure ? undefined : (result.structuredContent as Answer);
    } catch (error) {
      this.calls.push({ tool, tookMs: performance.now() - started, failure: String(error) });
      return undefined;
    }
  }
}
