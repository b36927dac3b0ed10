import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@lectern/testing';
import { callTool, connectClient } from '../support/client.js';
import type { ServerProcess } from '../support/server-process.js';
import { startTestStack, type TestStack } from '../support/stack.js';
import { startTraceCollector, type CollectedSpan, type TraceCollector } from '../support/trace-collector.js';

describe('a trace', () => {
  let collector: TraceCollector;
  let stack: TestStack;
  let server: ServerProcess;

  beforeAll(async () => {
    collector = await startTraceCollector();
    stack = await startTestStack({
      environment: {
        TRACE_RATIO: '1',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_BSP_SCHEDULE_DELAY: '200',
      },
    });
    server = stack.server;
  });
  afterAll(async () => {
    await stack.close();
    await collector.close();
  });

  it('joins the request, the services, their SQL and the job into one', async () => {
    const client = await connectClient(server.urls[0]!, server.token);
    const { knowledgeBase } = await callTool<{ knowledgeBase: { id: string } }>(client, 'create_knowledge_base', {
      name: 'traced',
    });
    const uploaded = await callTool<{ status: string }>(client, 'upload_text_document', {
      knowledgeBaseId: knowledgeBase.id,
      fileName: 'a.txt',
      content: '一段文字 a piece of text',
    });
    expect(uploaded.status).toBe('ready');
    await callTool(client, 'search_knowledge_base', { query: '文字' });
    await client.close();

    const upload = await traceWith('ingestion.submit_document', [
      'embedding.embed_passages',
      'retrieval.get_ingestion_status',
    ]);
    expect(servicesOf(upload)).toEqual([
      'lectern-embedding',
      'lectern-ingestion',
      'lectern-mcp-gateway',
      'lectern-retrieval',
    ]);
    const search = await traceWith('retrieval.search_chunks', ['embedding.embed_query']);
    expect(servicesOf(search)).toEqual(['lectern-embedding', 'lectern-mcp-gateway', 'lectern-retrieval']);
    for (const trace of [upload, search]) {
      expect(trace.some((span) => span.name.startsWith('pg.query'))).toBe(true);
      const roots = trace.filter((span) => !span.parentSpanId);
      expect(roots).toHaveLength(1);
      expect(roots[0]).toMatchObject({ service: 'lectern-mcp-gateway', name: expect.stringMatching(/^POST/) });
    }
  });

  /** The spans of the trace that has all of these, once every parent of theirs has arrived. */
  function traceWith(name: string, others: string[]): Promise<CollectedSpan[]> {
    return eventually(`the trace of ${name}`, () => {
      const traceId = collector.spans.find((span) => span.name === name)?.traceId;
      const trace = collector.spans.filter((span) => span.traceId === traceId);
      const names = new Set(trace.map((span) => span.name));
      const ids = new Set(trace.map((span) => span.spanId));
      const complete = others.every((other) => names.has(other)) && trace.some((span) => !span.parentSpanId);
      return complete && trace.every((span) => !span.parentSpanId || ids.has(span.parentSpanId)) ? trace : undefined;
    });
  }
});

function servicesOf(trace: readonly CollectedSpan[]): string[] {
  return [...new Set(trace.map((span) => span.service))].toSorted();
}
