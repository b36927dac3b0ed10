import type { Client } from '@modelcontextprotocol/client';
import { callTool } from './client.js';

/** Ids of one tenant by the name of the argument that takes them, in camelCase. */
export interface OwnedIds {
  knowledgeBaseId: string;
  documentId: string;
  jobId: string;
  chunkId: string;
}

/** A position in the list of the tenant's documents, which holds the id of the newest. */
export interface OwnedCursor {
  value: string;
  documentId: string;
}

export const secretName = 'secret plans';
export const secretText = '# 备份 backup\n\nThe secret is in the third drawer.';

/** Makes a knowledge base with two documents and gives all ids that there are of it. */
export async function storeSecrets(client: Client): Promise<{ ids: OwnedIds; cursor: OwnedCursor }> {
  const { knowledgeBase } = await callTool<{ knowledgeBase: { id: string } }>(client, 'create_knowledge_base', {
    name: secretName,
  });
  const upload = (fileName: string, content: string) =>
    callTool<{ documentId: string; jobId: string; status: string }>(client, 'upload_text_document', {
      knowledgeBaseId: knowledgeBase.id,
      fileName,
      content,
    });
  const { documentId, jobId, status } = await upload('secret.md', secretText);
  if (status !== 'ready') throw new Error(`the secret is ${status}`);
  await upload('second secret.md', `${secretText} So is the key.`);
  const { results } = await callTool<{ results: { chunkId: string }[] }>(client, 'search_knowledge_base', {
    query: 'secret',
    knowledgeBaseId: knowledgeBase.id,
  });
  const page = await callTool<{ items: { id: string }[]; nextCursor: string }>(client, 'list_documents', { limit: 1 });
  return {
    ids: { knowledgeBaseId: knowledgeBase.id, documentId, jobId, chunkId: results[0]!.chunkId },
    cursor: { value: page.nextCursor, documentId: page.items[0]!.id },
  };
}

interface Schema {
  format?: string;
  items?: Schema;
}

export interface ListedTool {
  name: string;
  inputSchema: { properties?: Record<string, Schema>; required?: string[] };
}

/** An argument of a tool that takes an id, with what else the call needs to get as far as looking for it. */
export interface IdArgument {
  tool: string;
  argument: string;
  /** The arguments of a call with this id. */
  withId(id: string): Record<string, unknown>;
}

/** Values for required arguments that are no ids. */
const plausible: Record<string, unknown> = {
  query: '备份 backup',
  name: 'a name',
  fileName: 'a.txt',
  content: 'some text',
};

const takesId = (name: string, schema: Schema | undefined): boolean =>
  schema?.format === 'uuid' || schema?.items?.format === 'uuid' || /ids?$/i.test(name);

/** Every argument of these tools that takes an id, found by its schema or its name. */
export function idArgumentsOf(tools: readonly ListedTool[]): IdArgument[] {
  return tools.flatMap(({ name: tool, inputSchema: { properties = {}, required = [] } }) => {
    const ids = Object.keys(properties).filter((name) => takesId(name, properties[name]));
    const others = required.filter((name) => !ids.includes(name)).map((name) => [name, plausible[name]]);
    const value = (name: string, id: string): unknown => (properties[name]?.items ? [id] : id);
    return ids.map((argument) => ({
      tool,
      argument,
      withId: (id) => ({
        ...Object.fromEntries(others),
        ...Object.fromEntries(ids.filter((name) => required.includes(name)).map((name) => [name, value(name, id)])),
        [argument]: value(argument, id),
      }),
    }));
  });
}
