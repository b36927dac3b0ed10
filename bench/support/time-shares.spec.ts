import { describe, expect, it } from '@jest/globals';
import type { CollectedSpan } from '@lectern/e2e';
import { dissect } from './time-shares.js';

let count = 0;
function span(service: string, name: string, startedAt: number, milliseconds: number, traceId = 'a'): CollectedSpan {
  count += 1;
  const ids = { traceId, spanId: String(count), parentSpanId: undefined };
  return { ...ids, service: `lectern-${service}`, name, startedAt, endedAt: startedAt + milliseconds };
}

const trace = [
  span('mcp-gateway', 'POST', 0, 60),
  span('mcp-gateway', 'call retrieval.search_chunks', 5, 50),
  span('retrieval', 'retrieval.search_chunks', 8, 44),
  span('retrieval', 'pg.query:SELECT', 8, 4),
  span('retrieval', 'call embedding.embed_query', 13, 15),
  span('embedding', 'embedding.embed_query', 15, 10),
  span('retrieval', 'pg.query:SELECT', 14, 6),
  span('retrieval', 'pg.query:WITH', 29, 20),
];

describe('dissect', () => {
  it('counts every millisecond of a request once, and a statement beside the embedding not at all', () => {
    const [found] = dissect(trace);
    expect(found).toEqual({ startedAt: 0, parts: { gateway: 10, streams: 11, embedding: 10, SQL: 24, retrieval: 5 } });
    expect(Object.values(found!.parts).reduce((sum, part) => sum + part, 0)).toBe(60);
  });

  it('leaves out what is no search, and what has not arrived as a whole', () => {
    const partial = trace.slice(0, 4).map((one) => ({ ...one, traceId: 'b' }));
    expect(dissect([...partial, span('mcp-gateway', 'POST', 0, 5, 'c'), ...trace])).toHaveLength(1);
  });
});
