import { createLogger, createMetrics } from '@lectern/telemetry';
import { createInProcessTransport } from '@lectern/transport';
import { describeTransport } from './conformance.js';

describeTransport('in-process', async () => {
  const transport = createInProcessTransport({
    concurrency: 2,
    maxQueue: 4,
    logger: createLogger({ service: 'test', level: 'silent' }),
    metrics: createMetrics('test'),
  });
  return { transport, close: () => transport.close() };
});
