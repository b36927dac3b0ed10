import type { Redis } from 'ioredis';

const measureEveryMs = 10_000;

/** Redis' clock as seen from here: the one by which requests expire, whatever the machines' own clocks say. */
export class RedisClock {
  private offsetMs = 0;
  private measuredAt = -Infinity;

  constructor(private readonly redis: Redis) {
    // What answers after a lost connection may be another machine.
    redis.on('ready', () => {
      this.measuredAt = -Infinity;
    });
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return performance.timeOrigin + performance.now() + this.offsetMs;
  }

  /** Measures again when the last time is some seconds ago. Keeps what it knows while Redis is away. */
  async refresh(): Promise<void> {
    const before = performance.now();
    if (before - this.measuredAt < measureEveryMs) return;
    const [seconds, microseconds] = await this.redis.time();
    const after = performance.now();
    const middle = performance.timeOrigin + (before + after) / 2;
    this.offsetMs = Number(seconds) * 1000 + Number(microseconds) / 1000 - middle;
    this.measuredAt = after;
  }
}
