import type { Logger } from './logger.js';
import { flushTraces } from './tracing.js';

export interface Closable {
  close(): Promise<void>;
}

/**
 * Runs a service until SIGTERM, SIGINT or the end of its supervisor, then closes it within the grace period. A failed start or an error that
 * nobody handles ends the process with exit code 1, for its supervisor to start it anew. A supervisor with a channel to it
 * is told when it has started.
 */
export async function runProcess(
  logger: Logger,
  options: { graceMs: number; start: () => Promise<Closable> },
): Promise<void> {
  const fail = (error: unknown): never => {
    logger.error({ err: error }, 'process failed');
    process.exit(1);
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  let stop = (): void => process.exit(0);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop());
  // Started with a channel to its supervisor, it ends with it, however that one died.
  if (process.channel) process.once('disconnect', () => stop());

  const running = await options.start().catch((error: unknown) => {
    // Nothing was served yet, so the message can quote no document; it tells the operator what to do.
    if (error instanceof Error) logger.error(`could not start: ${error.message}`);
    return fail(error);
  });
  process.send?.('started');
  let stopping = false;
  stop = () => {
    if (stopping) return;
    stopping = true;
    logger.info('stopping');
    // Half a second more than the work inside gets, so that it can end in order.
    setTimeout(() => process.exit(1), options.graceMs + 500).unref();
    running
      .close()
      .then(flushTraces)
      .then(() => process.exit(0), fail);
  };
}
