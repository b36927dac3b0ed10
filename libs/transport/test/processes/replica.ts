// A replica in a process of its own, for tests to kill. Started by a test with the built package; erasable TypeScript.
import type { Operation } from '@lectern/contracts';
import { createLogger, createMetrics } from '@lectern/telemetry';
import { createRedisTransport } from '@lectern/transport';

const [url, prefix, key, manner] = process.argv.slice(2) as [string, string, string, 'answers' | 'holds'];
const transport = await createRedisTransport({
  url,
  prefix,
  key,
  concurrency: 4,
  maxQueue: 1000,
  graceMs: 1000,
  logger: createLogger({ service: 'replica', level: 'silent' }),
  metrics: createMetrics('replica'),
});
const server = transport.serverFor('retrieval');
const operations = new URL('../operations.ts', import.meta.url).href;
const { echo, echoOnce } = (await import(operations)) as Record<'echo' | 'echoOnce', Operation>;
for (const operation of [echo, echoOnce]) {
  server.addHandler(
    operation.name,
    async ({ text, delayMs }: { text: string; delayMs: number }) => {
      process.send?.(text);
      // One that holds never answers: whoever waits for it has to be served by another replica.
      await new Promise((resolve) => manner === 'answers' && setTimeout(resolve, delayMs));
      return { text, tenantId: '', replica: 'process' };
    },
    false,
    { operation },
  );
}
await new Promise<void>((resolve, reject) => {
  server.listen((error?: unknown) => (error ? reject(error as Error) : resolve()));
});
process.send?.('ready');
