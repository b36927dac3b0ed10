import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/client';
import { callTool, connectClient } from '../support/client.js';
import { processTree } from '../support/processes.js';
import { quantile, report } from '../support/report.js';
import { startServer, type ServerProcess } from '../support/server-process.js';
import { startTestStack } from '../support/stack.js';
import { importPassages, measureQuality, xquadIsThere, type Language } from '../support/xquad.js';

/** All 1,190 questions a language by XQUAD_QUESTIONS=1190. */
const questions = Number(process.env.XQUAD_QUESTIONS ?? 200);

/** What the same parts reach on all questions; small samples vary, hence the margin there. */
const reached: Record<Language, { recallAt5: number; reciprocalRankAt10: number }> = {
  zh: { recallAt5: 0.996, reciprocalRankAt10: 0.97 },
  en: { recallAt5: 0.999, reciprocalRankAt10: 0.978 },
};
const margin = questions >= 1000 ? 0.005 : 0.02;

interface Mode {
  server: ServerProcess;
  close(): Promise<void>;
}

const modes: Record<string, () => Promise<Mode>> = {
  'embedded mode': async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'lectern-xquad-'));
    const server = await startServer(['start', '--port', '0', '--data-dir', dataDir, '--no-sample']);
    return {
      server,
      async close() {
        await server.stop();
        await secondStart(dataDir, server.token);
        await rm(dataDir, { recursive: true, force: true });
      },
    };
  },
  'two processes of each service': () => startTestStack({ replicas: 2 }),
};

/** Prints how long a second start takes until its first answered search. */
async function secondStart(dataDir: string, token: string): Promise<void> {
  const startedAt = performance.now();
  const server = await startServer(['start', '--port', '0', '--data-dir', dataDir, '--no-sample']);
  const client = await connectClient(server.urls[0]!, token);
  await callTool(client, 'search_knowledge_base', { query: 'first question after the start' });
  report('second start to first answered search', { seconds: ((performance.now() - startedAt) / 1000).toFixed(2) });
  await client.close();
  await server.stop();
}

(xquadIsThere ? describe : describe.skip).each(Object.entries(modes))('XQuAD through MCP in %s', (name, open) => {
  let mode: Mode | undefined;
  let client: Client;

  afterAll(async () => {
    await client?.close();
    await mode?.close();
  });

  it('imports both languages, answers meanwhile, and finds what was asked', async () => {
    mode = await open();
    const { server } = mode;
    client = await connectClient(server.urls[0]!, server.token);
    const asking = askMeanwhile(client);
    const imported: Partial<Record<Language, string>> = {};
    const startedAt = performance.now();
    for (const language of ['zh', 'en'] as const) {
      const { knowledgeBaseId, states } = await importPassages(client, language);
      expect(states).toEqual({ ready: 240 });
      imported[language] = knowledgeBaseId;
    }
    const importSeconds = (performance.now() - startedAt) / 1000;
    const latencies = await asking.stop();
    report(`${name}, import`, {
      'passages/s': (480 / importSeconds).toFixed(1),
      'searches meanwhile': latencies.length,
      'p50 ms': quantile(latencies, 0.5).toFixed(0),
      'p99 ms': quantile(latencies, 0.99).toFixed(0),
      'memory MB': processTree(server.child.pid!)
        .reduce((sum, one) => sum + one.megabytes, 0)
        .toFixed(0),
    });
    for (const language of ['zh', 'en'] as const) {
      const quality = await measureQuality(client, language, imported[language]!, questions);
      report(`${name}, XQuAD ${language}, ${questions} questions`, {
        'recall@1': quality.recallAt1.toFixed(3),
        'recall@5': quality.recallAt5.toFixed(3),
        'MRR@10': quality.reciprocalRankAt10.toFixed(3),
      });
      expect(quality.recallAt5).toBeGreaterThanOrEqual(reached[language].recallAt5 - margin);
      expect(quality.reciprocalRankAt10).toBeGreaterThanOrEqual(reached[language].reciprocalRankAt10 - margin);
    }
  });
});

/** Asks a new question every tenth of a second until it is stopped, and gives the times of all answers. */
function askMeanwhile(client: Client): { stop(): Promise<number[]> } {
  const latencies: number[] = [];
  const stopping = new AbortController();
  const asking = (async () => {
    for (let count = 0; !stopping.signal.aborted; count += 1) {
      const startedAt = performance.now();
      await callTool(client, 'search_knowledge_base', { query: `第 ${count} 个问题: what is number ${count} about?` });
      latencies.push(performance.now() - startedAt);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await asking;
      return latencies;
    },
  };
}
