import {
  frontSettings,
  loadConfigOrExit,
  postgresSettings,
  processSettings,
  redisSettings,
  telemetrySettings,
  transportSettings,
} from '@lectern/config';
import { openPostgres, type Database, type DatabaseRole } from '@lectern/database';
import {
  collectProcessMetrics,
  createLogger,
  createMetrics,
  runProcess,
  startHealthServer,
  type Closable,
  type Logger,
  type Metrics,
} from '@lectern/telemetry';
import { createRedisTransport, type Transport } from '@lectern/transport';
import { z } from 'zod';
import type { Service } from './service.js';

const commonSettings = z.object({
  ...redisSettings,
  ...transportSettings,
  ...telemetrySettings,
  SHUTDOWN_GRACE_MS: processSettings.SHUTDOWN_GRACE_MS,
  // None where a service does not read it.
  ...frontSettings,
});
const databaseSettings = z.object(postgresSettings);
const healthSettings = z.object({ HEALTH_HOST: processSettings.HEALTH_HOST, HEALTH_PORT: processSettings.HEALTH_PORT });

type CommonConfig = z.output<typeof commonSettings>;

/** What a service takes the parts of its process from. */
export interface ServiceProcess<Config> {
  readonly config: Config;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly transport: Transport;
  /** Opens the service's database login. */
  openDatabase(role: DatabaseRole, options?: { statementTimeoutMs: number }): Database;
  /** Has a part closed after the service, the last one first. */
  keep<Part extends Closable>(part: Part): Part;
}

export interface ServiceDefinition<Schema extends z.ZodObject> {
  name: string;
  schema: Schema;
  start(parts: ServiceProcess<Readonly<z.output<Schema>>>): Promise<Service>;
}

/** The `main` of a service: settings, log, metrics, transport, health port, and an end in order. Never returns. */
export async function runService<Schema extends z.ZodObject>(
  definition: ServiceDefinition<Schema>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { name, schema } = definition;
  const config = loadConfigOrExit(schema, environment);
  const common = commonSettings.parse(config);
  const logger = createLogger({ service: name, level: common.LOG_LEVEL });
  const metrics = createMetrics(name);
  collectProcessMetrics(metrics);
  const parts: Closable[] = [];
  const keep = <Part extends Closable>(part: Part): Part => {
    parts.push(part);
    return part;
  };
  await runProcess(logger, {
    graceMs: common.SHUTDOWN_DELAY_MS + common.SHUTDOWN_GRACE_MS,
    async start() {
      const transport = keep(await connectTransport(common, logger, metrics));
      const openDatabase: ServiceProcess<unknown>['openDatabase'] = (role, options) =>
        keep(openDatabaseOf(config, role, logger, options));
      const service = await definition.start({ config, logger, metrics, transport, openDatabase, keep });
      const health = healthSettings.safeParse(config);
      if ('HEALTH_PORT' in config && health.data) {
        const { HEALTH_HOST: host, HEALTH_PORT: port } = health.data;
        keep(await startHealthServer({ host, port, metrics, isReady: () => service.isReady() }));
      }
      logger.info('ready');
      return { close: () => closeAll(service, parts) };
    },
  });
}

function connectTransport(config: CommonConfig, logger: Logger, metrics: Metrics): Promise<Transport> {
  return createRedisTransport({
    url: config.REDIS_URL,
    prefix: config.REDIS_PREFIX,
    key: config.TRANSPORT_KEY,
    concurrency: config.TRANSPORT_CONCURRENCY,
    maxQueue: config.TRANSPORT_MAX_QUEUE,
    graceMs: config.SHUTDOWN_GRACE_MS,
    logger,
    metrics,
  }).catch((error: unknown) => {
    const { host } = new URL(config.REDIS_URL);
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `REDIS_URL: Redis at ${host} can't be used (${reason.replace(/\.$/, '')}): start it there, or correct the URL`,
      { cause: error },
    );
  });
}

function openDatabaseOf(
  config: unknown,
  role: DatabaseRole,
  logger: Logger,
  options: { statementTimeoutMs: number } | undefined,
): Database {
  const { DATABASE_URL, DATABASE_POOL_SIZE } = databaseSettings.parse(config);
  return openPostgres({
    url: DATABASE_URL,
    role,
    poolSize: DATABASE_POOL_SIZE,
    ...options,
    onConnectionError: (error) => logger.warn({ err: error }, 'database connection lost'),
  });
}

async function closeAll(service: Service, parts: Closable[]): Promise<void> {
  await service.close();
  for (const part of parts.toReversed()) await part.close();
}
