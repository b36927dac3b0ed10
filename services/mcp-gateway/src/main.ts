import { runService } from '@lectern/service';
import { gatewayConfig } from './config.js';
import { createService } from './service.js';

await runService(
  {
    name: 'mcp-gateway',
    schema: gatewayConfig,
    async start({ config, logger, metrics, openDatabase, transport }) {
      const database = openDatabase('gateway');
      await database.assertSchema();
      return createService(config, { transport, database, logger, metrics });
    },
  },
  process.env,
);
