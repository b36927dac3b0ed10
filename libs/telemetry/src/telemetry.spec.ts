import { describe, expect, it } from '@jest/globals';
import { createMetrics, describeError, startHealthServer } from './index.js';

describe('describeError', () => {
  it('keeps what finds the defect and drops the message, which may quote a value', () => {
    const cause = Object.assign(new TypeError('row (secret)'), { code: '23505' });
    const described = describeError(new Error('secret', { cause }));
    expect(described).toMatchObject({ type: 'Error', cause: { type: 'TypeError', code: '23505' } });
    expect(described.stack).toMatch(/telemetry\.spec/);
    expect(JSON.stringify(described)).not.toContain('secret');
  });
});

describe('startHealthServer', () => {
  it('answers liveness, readiness and metrics; a probe that fails or does not answer is not ready', async () => {
    const metrics = createMetrics('test');
    let ready: () => Promise<boolean> = async () => true;
    const server = await startHealthServer({ host: '127.0.0.1', port: 0, metrics, isReady: () => ready() });
    const status = async (path: string) => (await fetch(`http://127.0.0.1:${server.port}${path}`)).status;
    metrics.operationDuration.observe({ operation: 'x.y', code: 'ok' }, 0.01);
    expect([await status('/livez'), await status('/readyz'), await status('/nothing')]).toEqual([200, 200, 404]);
    ready = () => Promise.reject(new Error('database gone'));
    expect([await status('/livez'), await status('/readyz')]).toEqual([200, 503]);
    ready = () => new Promise<never>(() => undefined);
    expect(await status('/readyz')).toBe(503);
    const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
    await server.close();
    expect(text).toContain('operation_duration_seconds_count{service="test",operation="x.y",code="ok"} 1');
  });
});
