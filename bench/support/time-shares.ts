import type { CollectedSpan } from '@lectern/e2e';
import { mean } from './load.js';

/** Milliseconds that a traced search spent in each part, in the order of its way. */
export type Parts = Record<'gateway' | 'streams' | 'embedding' | 'SQL' | 'retrieval', number>;

/**
 * Takes the complete traces of searches apart. Statements that ran while the question's vector was awaited cost nobody
 * time and count as nothing.
 */
export function dissect(spans: readonly CollectedSpan[]): { startedAt: number; parts: Parts }[] {
  return [...Map.groupBy(spans, ({ traceId }) => traceId).values()].flatMap((trace) => {
    const find = (name: string, service: string) =>
      trace.find((span) => span.name === name && span.service === `lectern-${service}`);
    const root = find('POST', 'mcp-gateway');
    const searchCall = find('call retrieval.search_chunks', 'mcp-gateway');
    const search = find('retrieval.search_chunks', 'retrieval');
    const embedCall = find('call embedding.embed_query', 'retrieval');
    const embed = find('embedding.embed_query', 'embedding');
    if (!root || !searchCall || !search || !embedCall || !embed) return [];
    const awaited = trace
      .filter(({ name, service }) => name.startsWith('pg.query') && service === 'lectern-retrieval')
      .filter(({ startedAt }) => startedAt < embedCall.startedAt || startedAt >= embedCall.endedAt);
    const sql = awaited.reduce((sum, span) => sum + length(span), 0);
    const parts = {
      gateway: length(root) - length(searchCall),
      streams: length(searchCall) - length(search) + length(embedCall) - length(embed),
      embedding: length(embed),
      SQL: sql,
      retrieval: length(search) - length(embedCall) - sql,
    };
    return [{ startedAt: root.startedAt, parts }];
  });
}

/** The mean of each part. */
export function meanParts(all: readonly Parts[]): Parts {
  const of = (part: keyof Parts) => mean(all.map((parts) => parts[part]));
  return {
    gateway: of('gateway'),
    streams: of('streams'),
    embedding: of('embedding'),
    SQL: of('SQL'),
    retrieval: of('retrieval'),
  };
}

function length({ startedAt, endedAt }: CollectedSpan): number {
  return endedAt - startedAt;
}
