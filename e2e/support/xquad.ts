import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { eventually } from '@lectern/testing';
import { callTool } from './client.js';

const folder = join(import.meta.dirname, '..', '..', '..', 'shared', 'data', 'xquad');

export const languages = ['zh', 'en'] as const;
export type Language = (typeof languages)[number];

export interface Passage {
  id: string;
  title: string;
  text: string;
}
export interface Question {
  id: string;
  text: string;
  relevant: string[];
}

/** Whether the retrieval sets are beside the project. */
export const xquadIsThere = existsSync(folder);

export interface Quality {
  recallAt1: number;
  recallAt5: number;
  reciprocalRankAt10: number;
}

export function readPassages(language: Language): Passage[] {
  return load(language, 'corpus');
}

export function readQuestions(language: Language): Question[] {
  return load(language, 'queries');
}

function load<T>(language: Language, name: string): T[] {
  const lines = readFileSync(join(folder, language, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as T);
}

/**
 * Uploads a language's passages into a knowledge base of its own, a document each and so many at once, and waits until
 * all are done.
 */
export async function importPassages(
  client: Client,
  language: Language,
  width = 8,
): Promise<{ knowledgeBaseId: string; states: Record<string, number> }> {
  const { knowledgeBase } = await callTool<{ knowledgeBase: { id: string } }>(client, 'create_knowledge_base', {
    name: `XQuAD ${language} ${Date.now()}`,
  });
  const passages = readPassages(language);
  await inParallel(width, passages, (passage) =>
    callTool(client, 'upload_text_document', {
      knowledgeBaseId: knowledgeBase.id,
      fileName: `${passage.title} ${passage.id}.txt`,
      content: passage.text,
    }),
  );
  const states = await eventually(
    `all ${passages.length} documents to be done`,
    async () => {
      const counted = await countStates(client, knowledgeBase.id);
      return (counted.queued ?? 0) + (counted.processing ?? 0) === 0 ? counted : undefined;
    },
    240_000,
  );
  return { knowledgeBaseId: knowledgeBase.id, states };
}

async function countStates(client: Client, knowledgeBaseId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  let cursor: string | undefined;
  do {
    const page = await callTool<{ items: { status: string }[]; nextCursor?: string }>(client, 'list_documents', {
      knowledgeBaseId,
      limit: 200,
      ...(cursor ? { cursor } : {}),
    });
    for (const { status } of page.items) counts[status] = (counts[status] ?? 0) + 1;
    cursor = page.nextCursor;
  } while (cursor);
  return counts;
}

/** Asks the first questions of a language; documents count at their first passage. */
export async function measureQuality(
  client: Client,
  language: Language,
  knowledgeBaseId: string,
  limit: number,
): Promise<Quality> {
  const questions = readQuestions(language).slice(0, limit);
  const totals = { first: 0, five: 0, reciprocal: 0 };
  await inParallel(4, questions, async (question) => {
    const { results } = await callTool<{ results: { document_title: string }[] }>(client, 'search_knowledge_base', {
      query: question.text,
      knowledgeBaseId,
      top_k: 20,
    });
    const documents = [...new Set(results.map((result) => / (\S+)\.txt$/.exec(result.document_title)?.[1]))];
    const rank = documents.findIndex((id) => id !== undefined && question.relevant.includes(id));
    if (rank === 0) totals.first += 1;
    if (rank >= 0 && rank < 5) totals.five += 1;
    if (rank >= 0 && rank < 10) totals.reciprocal += 1 / (rank + 1);
  });
  return {
    recallAt1: totals.first / questions.length,
    recallAt5: totals.five / questions.length,
    reciprocalRankAt10: totals.reciprocal / questions.length,
  };
}

async function inParallel<T>(width: number, items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}
