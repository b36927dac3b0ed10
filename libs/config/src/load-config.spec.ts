import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ConfigError, flag, list, loadConfig, redisSettings, wholeNumber } from './index.js';

const schema = z.object({
  ...redisSettings,
  PORT: wholeNumber({ min: 0, max: 65_535, fallback: 8080 }),
  ENABLED: flag(true),
  HOSTS: list(['localhost']),
});

describe('loadConfig', () => {
  it('fills defaults and reads only what the schema names', () => {
    const config = loadConfig(schema, { REDIS_URL: 'redis://127.0.0.1', OTHER: 'x', ENABLED: 'OFF', HOSTS: 'a, b,' });
    expect(config).toEqual({
      REDIS_URL: 'redis://127.0.0.1',
      REDIS_PREFIX: 'lectern',
      PORT: 8080,
      ENABLED: false,
      HOSTS: ['a', 'b'],
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('takes an empty value as absent', () => {
    expect(loadConfig(schema, { REDIS_URL: 'redis://127.0.0.1', PORT: '' }).PORT).toBe(8080);
  });

  it('says what a setting is for that is missing', () => {
    expect(() => loadConfig(schema, {})).toThrow(/REDIS_URL is not set\. Redis 7 or newer/);
  });

  it('reports every fault at once, by name', () => {
    const read = () => loadConfig(schema, { REDIS_URL: 'http://x', PORT: '70000', ENABLED: 'maybe' });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/REDIS_URL: takes a redis:\/\/ URL[\s\S]*PORT[\s\S]*ENABLED: takes true or false/);
  });
});
