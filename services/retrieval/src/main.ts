import { runService } from '@lectern/service';
import { retrievalConfig } from './config.js';
import { createService } from './service.js';

await runService(
  {
    name: 'retrieval',
    schema: retrievalConfig,
    start: ({ config, transport, openDatabase }) =>
      createService(config, { transport, database: openDatabase('retrieval') }),
  },
  process.env,
);
