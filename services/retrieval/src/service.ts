import type { Database } from '@lectern/database';
import type { Service } from '@lectern/service';
import { startMicroservice, type Transport } from '@lectern/transport';
import { AppModule } from './app.module.js';
import type { SearchConfig } from './config.js';

export interface RetrievalPorts {
  transport: Transport;
  database: Database;
}

/** Starts answering the operations of retrieval. Refuses an older schema. */
export async function createService(config: SearchConfig, ports: RetrievalPorts): Promise<Service> {
  await ports.database.assertSchema();
  const module = AppModule.with(config, ports.database, ports.transport.client);
  const running = await startMicroservice(module, ports.transport.serverFor('retrieval'));
  return {
    async isReady() {
      await ports.database.ping();
      return ports.transport.isConnected();
    },
    close: () => running.close(),
  };
}
