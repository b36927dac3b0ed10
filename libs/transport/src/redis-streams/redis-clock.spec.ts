import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { RedisClock } from './redis-clock.js';

/** A server whose clock is ahead of ours. */
class FakeServer extends EventEmitter {
  aheadMs = 0;
  async time(): Promise<[number, number]> {
    const now = Date.now() + this.aheadMs;
    return [Math.floor(now / 1000), (now % 1000) * 1000];
  }
}

describe('the clock of Redis', () => {
  it('is measured again when the connection comes back, since another machine may answer then', async () => {
    const server = new FakeServer();
    const clock = new RedisClock(server as unknown as Redis);
    await clock.refresh();
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1000);
    server.aheadMs = -60_000;
    await clock.refresh();
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1000);
    server.emit('ready');
    await clock.refresh();
    expect(Math.abs(clock.now() - (Date.now() - 60_000))).toBeLessThan(1000);
  });
});
