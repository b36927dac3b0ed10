import { runService } from '@lectern/service';
import { createRedisVectorCache } from './cache/redis-cache.js';
import { embeddingConfig } from './config.js';
import { createService } from './service.js';

await runService(
  {
    name: 'embedding',
    schema: embeddingConfig,
    async start({ config, keep, logger, metrics, transport }) {
      const cache = keep(await createRedisVectorCache(config, logger));
      return createService(config, { transport, logger, metrics, cache });
    },
  },
  process.env,
);
