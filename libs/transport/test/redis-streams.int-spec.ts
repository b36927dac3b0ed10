import { testRedis } from '@lectern/testing';
import { createLogger, createMetrics } from '@lectern/telemetry';
import { createRedisTransport } from '@lectern/transport';
import { describeTransport } from './conformance.js';

describeTransport('Redis Streams', async () => {
  const redis = await testRedis();
  const transport = await createRedisTransport({
    url: redis.url,
    prefix: redis.prefix,
    key: 'a key that all services of the test share',
    concurrency: 2,
    maxQueue: 4,
    graceMs: 5000,
    logger: createLogger({ service: 'test', level: 'silent' }),
    metrics: createMetrics('test'),
  });
  return {
    transport,
    async close() {
      await transport.close();
      await redis.close();
    },
  };
});
