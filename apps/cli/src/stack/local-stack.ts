import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { ServiceProcess } from './child-process.js';
import { freePort } from './ports.js';

const services = ['embedding', 'ingestion', 'retrieval', 'mcp-gateway'] as const;
type StackService = (typeof services)[number];

export interface StackOptions {
  /** Login of the services. */
  databaseUrl: string;
  redisUrl: string;
  replicas: number;
  /** Port of the first gateway; each further one takes the next. */
  port: number;
  environment: Record<string, string | undefined>;
  log: (text: string) => void;
}

export interface RunningStack {
  readonly urls: string[];
  readonly processes: { name: string; pid: number | undefined; healthPort: number }[];
  close(): Promise<void>;
}

/** Starts the four services as processes, so many of each, and resolves when all are ready. */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const shared = {
    ...options.environment,
    DATABASE_URL: options.databaseUrl,
    REDIS_URL: options.redisUrl,
    TRANSPORT_KEY: options.environment.TRANSPORT_KEY ?? randomBytes(32).toString('hex'),
  };
  const running: { name: string; healthPort: number; process: ServiceProcess }[] = [];
  const urls: string[] = [];
  const close = async (): Promise<void> => {
    // Front to back, so that nobody calls a service that is gone.
    for (const service of services.toReversed()) {
      const group = running.filter((one) => one.name.startsWith(service));
      await Promise.all(group.map((one) => one.process.stop()));
    }
  };
  try {
    for (const service of services) {
      for (let replica = 0; replica < options.replicas; replica += 1) {
        const port = options.port + replica;
        // The gateway answers probes on its own port.
        const healthPort = service === 'mcp-gateway' ? port : await freePort();
        if (service === 'mcp-gateway') urls.push(`http://127.0.0.1:${port}/mcp`);
        const process = new ServiceProcess({
          name: `${service}-${replica}`,
          entry: entryOf(service),
          environment: { ...shared, PORT: String(port), HEALTH_PORT: String(healthPort) },
          log: options.log,
        });
        process.start();
        running.push({ name: `${service}-${replica}`, healthPort, process });
      }
      await Promise.all(running.map((one) => one.process.untilReady(one.healthPort)));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    urls,
    get processes() {
      return running.map(({ name, healthPort, process }) => ({ name, healthPort, pid: process.pid }));
    },
    close,
  };
}

/** A service's `main.js` lies beside the entry of its package. */
function entryOf(service: StackService): string {
  return fileURLToPath(new URL('main.js', import.meta.resolve(`@lectern/${service}`)));
}
