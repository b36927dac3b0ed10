import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callTool, connectClient } from '../support/client.js';
import { leaks } from '../support/leaks.js';
import { rawToolCall } from '../support/raw-call.js';
import { startServer, type ServerProcess } from '../support/server-process.js';

const calls = 20_000;
const seed = 20_261_130;

interface ListedTool {
  name: string;
  inputSchema: { properties?: Record<string, unknown> };
}

describe('random arguments', () => {
  let dataDir: string;
  let server: ServerProcess;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'lectern-fuzz-'));
    server = await startServer(['start', '--port', '0', '--data-dir', dataDir]);
  });
  afterAll(async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it(`never break a tool, ${calls} times from one seed`, async () => {
    const client = await connectClient(server.urls[0]!, server.token);
    const { tools } = (await client.listTools()) as { tools: ListedTool[] };
    const { items } = await callTool<{ items: { id: string }[] }>(client, 'list_documents', {});
    const random = randomFrom(seed);
    const queue = Array.from({ length: calls }, () => {
      const tool = random.pick(tools);
      return { name: tool.name, arguments: randomArguments(random, tool, items[0]!.id) };
    }).values();
    const offences: string[] = [];
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (const call of queue) {
          const { status, text } = await rawToolCall({ url: server.urls[0]!, token: server.token, ...call });
          if (status >= 500 || leaks.test(text))
            offences.push(`${status} ${JSON.stringify(call)} → ${text.slice(0, 300)}`);
        }
      }),
    );
    expect(offences.slice(0, 5)).toEqual([]);
    expect(server.child.exitCode).toBeNull();
    const { matched } = await callTool<{ matched: number }>(client, 'search_knowledge_base', { query: '备份' });
    expect(matched).toBeGreaterThan(0);
    await client.close();
  });
});

interface Random {
  /** 0 up to, not including, 1. */
  next(): number;
  pick<T>(items: readonly T[]): T;
}

/** Mulberry32: small, and the same on every machine. */
function randomFrom(start: number): Random {
  let state = start;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, pick: (items) => items[Math.floor(next() * items.length)]! };
}

function randomArguments(random: Random, tool: ListedTool, documentId: string): unknown {
  if (random.next() < 0.02) return random.pick([null, 3, 'text', [1]]);
  const names = [
    ...Object.keys(tool.inputSchema.properties ?? {}),
    'document_id',
    'top_k',
    'topK',
    'extra',
    '__proto__',
  ];
  const count = Math.floor(random.next() * 5);
  return Object.fromEntries(
    Array.from({ length: count }, () => [random.pick(names), randomValue(random, documentId, 0)]),
  );
}

const strings = [
  '',
  ' ',
  '备份 backup',
  "'; DROP TABLE chunks; --",
  'a & b | !c <-> d:*',
  '\u0000\ud800',
  '🧑‍🚀',
  '../../etc/passwd',
  'report.txt',
  '0'.repeat(9000),
  'not-a-uuid',
  'ready',
  '{"$float32":[0,1]}',
];

function randomValue(random: Random, documentId: string, depth: number): unknown {
  const kind = Math.floor(random.next() * (depth > 2 ? 5 : 7));
  if (kind === 0) return random.pick([0, -1, 1.5, 21, 2 ** 31, 2 ** 53, -0, 1e308]);
  if (kind === 1) return random.pick([true, false, null]);
  if (kind === 2) return random.pick([documentId, documentId.toUpperCase(), '01890000-0000-7000-8000-000000000001']);
  if (kind <= 4) return random.pick(strings);
  if (kind === 5) return Array.from({ length: 3 }, () => randomValue(random, documentId, depth + 1));
  return { $float32: randomValue(random, documentId, depth + 1), a: randomValue(random, documentId, depth + 1) };
}
