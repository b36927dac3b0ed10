import { randomBytes } from 'node:crypto';
import type { StackConfig } from '../settings.js';
import { startStack, type RunningStack } from '../stack/local-stack.js';
import { assertFree } from '../stack/ports.js';
import { runMigrations } from './migrate.command.js';
import { untilStopped } from './until-stopped.js';

export interface StackCommandOptions {
  replicas: number;
  port: number;
  /** Print one line of JSON for programs in place of text for people. */
  json: boolean;
}

/** Migrates, then runs the four services as processes until Ctrl-C. */
export async function stackCommand(options: StackCommandOptions, config: StackConfig): Promise<void> {
  // Before the database is touched: another server there would answer in place of ours.
  const ports = Array.from({ length: options.replicas }, (_, replica) => options.port + replica);
  await assertFree(ports, config.HOST);
  const admin = new URL(config.DATABASE_URL);
  const service = new URL(admin);
  service.username = `lectern_service_${admin.pathname.slice(1)}`;
  service.password = randomBytes(24).toString('base64url');
  const { applied, token } = await runMigrations({
    login: { setting: 'DATABASE_URL', url: admin.href },
    serviceLogin: { name: service.username, password: service.password },
  });
  if (applied.length > 0) console.error(`migrated: ${applied.join(', ')}`);
  // Shown before anything else can fail, for nobody can read it again.
  if (token && !options.json) console.log(`token, shown this once: ${token}`);
  const stopped = untilStopped();
  const stack = await startStack({
    databaseUrl: service.href,
    redisUrl: config.REDIS_URL,
    replicas: options.replicas,
    port: options.port,
    environment: { ...process.env, BLOB_DIR: config.BLOB_DIR },
    log: (text) => console.error(text),
  });
  if (options.json) console.log(JSON.stringify({ urls: stack.urls, token, processes: stack.processes }));
  else explain(stack);
  await stopped;
  await stack.close();
}

function explain(stack: RunningStack): void {
  console.log(`endpoints: ${stack.urls.join(' ')}`);
  for (const { name, pid, healthPort } of stack.processes)
    console.log(`  ${name}: process ${pid}, health port ${healthPort}`);
  console.log('Ctrl-C stops all of them.');
}
