import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { BatchedHistogram, Level } from './hot-metrics.js';

describe('BatchedHistogram', () => {
  it('has told every observation, of every label, whenever it is read', async () => {
    const registry = new Registry();
    const histogram = new BatchedHistogram({
      name: 'lag_seconds',
      help: 'lag',
      labelNames: ['lane'],
      buckets: [0.1, 1],
      registers: [registry],
    });
    // More than a batch, and then less than one.
    for (let index = 0; index < 100; index += 1) histogram.observe({ lane: 'bulk' }, 0.5);
    histogram.observe({ lane: 'interactive' }, 2);
    const text = await registry.metrics();
    expect(text).toContain('lag_seconds_bucket{le="0.1",lane="bulk"} 0\n');
    expect(text).toContain('lag_seconds_bucket{le="1",lane="bulk"} 100\n');
    expect(text).toContain('lag_seconds_sum{lane="bulk"} 50\n');
    expect(text).toContain('lag_seconds_count{lane="interactive"} 1\n');
    // Once each: reading again adds nothing.
    expect(await registry.metrics()).toBe(text);
  });
});

describe('Level', () => {
  it('gives what has risen and not fallen, down to none, for each value', async () => {
    const registry = new Registry();
    const level = new Level({ name: 'pending', help: 'pending', labelName: 'lane', registers: [registry] });
    level.rise('bulk');
    level.rise('bulk');
    level.rise('interactive');
    level.fall('bulk');
    expect(await registry.metrics()).toContain('pending{lane="bulk"} 1\npending{lane="interactive"} 1\n');
    level.fall('bulk');
    expect(await registry.metrics()).toContain('pending{lane="bulk"} 0\n');
  });
});
