import { resolve } from 'node:path';
import { loadConfigOrExit } from '@lectern/config';
import { Command, InvalidArgumentError } from 'commander';
import { commandLine } from './command-line.js';
import { callCommand } from './commands/call.command.js';
import { runMigrations } from './commands/migrate.command.js';
import { startCommand } from './commands/start.command.js';
import { stackCommand } from './commands/stack.command.js';
import { stdioCommand } from './commands/stdio.command.js';
import { resetToken } from './commands/token.command.js';
import { embeddedConfig, type EmbeddedConfig } from './embedded/config.js';
import { readEndpoint } from './embedded/endpoint-file.js';

const program = new Command('lectern').description('A knowledge base that agents use over MCP.');

function embedded(overrides: { port?: number; dataDir?: string } = {}): EmbeddedConfig {
  const config = loadConfigOrExit(embeddedConfig, {
    ...process.env,
    ...(overrides.port === undefined ? {} : { PORT: String(overrides.port) }),
    ...(overrides.dataDir ? { LECTERN_DATA_DIR: overrides.dataDir } : {}),
  });
  return { ...config, LECTERN_DATA_DIR: resolve(config.LECTERN_DATA_DIR) };
}

/** Parses an option that takes a whole number within bounds. */
function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It takes a whole number from ${min} to ${max}.`);
  };
}

function required(name: string): string {
  return (
    process.env[name] ?? program.error(`${name} is not set. It names the server to use, such as ${examples[name]}`)
  );
}
const examples: Record<string, string> = {
  DATABASE_URL: 'postgres://postgres@127.0.0.1:5432/lectern',
  DATABASE_ADMIN_URL: 'postgres://postgres@127.0.0.1:5432/lectern',
  REDIS_URL: 'redis://127.0.0.1:6379',
};

program
  .command('start')
  .description('run everything in this process, with its data in one folder')
  .option('--port <port>', 'port to listen on', wholeNumber(0, 65_535))
  .option('--data-dir <folder>', 'data folder')
  .option('--no-sample', 'do not create the sample knowledge base')
  .option('--json', 'announce the endpoint as one line of JSON', false)
  .action(async (options: { port?: number; dataDir?: string; sample: boolean; json: boolean }) => {
    process.exitCode = await startCommand({ config: embedded(options), json: options.json, sample: options.sample });
  });

program
  .command('stdio')
  .description('speak MCP on stdin and stdout, for desktop clients')
  .option('--data-dir <folder>', 'data folder')
  .action(async (options: { dataDir?: string }) => {
    process.exitCode = await stdioCommand(embedded(options));
  });

program
  .command('stack')
  .description('run the four services as processes on DATABASE_URL (an admin login) and REDIS_URL')
  .option('--replicas <count>', 'processes of each service', wholeNumber(1, 100), 1)
  .option('--port <port>', 'port of the first gateway; each further one takes the next', wholeNumber(1, 65_535), 8080)
  .option('--json', 'announce the endpoints as one line of JSON', false)
  .action(async (options: { replicas: number; port: number; json: boolean }) => {
    if (options.port + options.replicas > 65_536) program.error(`no ports are left for ${options.replicas} gateways`);
    await stackCommand({ ...options, databaseUrl: required('DATABASE_URL'), redisUrl: required('REDIS_URL') });
  });

program
  .command('migrate')
  .description('bring the database of DATABASE_ADMIN_URL (else DATABASE_URL) to this release')
  .action(async () => {
    const login = process.env.DATABASE_SERVICE_LOGIN;
    const { applied, token } = await runMigrations({
      adminUrl: process.env.DATABASE_ADMIN_URL ?? required('DATABASE_URL'),
      serviceLogin: login ? { name: login, password: process.env.DATABASE_SERVICE_PASSWORD } : undefined,
    });
    console.log(applied.length > 0 ? `migrated: ${applied.join(', ')}` : 'the schema is up to date');
    if (token) console.log(`token of the default tenant, shown this once: ${token}`);
  });

program
  .command('token')
  .description('replace the managed token; the old one dies at once')
  .argument('<action>', 'reset')
  .option('--data-dir <folder>', 'data folder of embedded mode')
  .action(async (action: string, options: { dataDir?: string }) => {
    if (action !== 'reset') program.error(`unknown action ${action}: takes reset`);
    const adminUrl = process.env.DATABASE_ADMIN_URL ?? process.env.DATABASE_URL;
    const token = await resetToken({ adminUrl, dataDir: embedded(options).LECTERN_DATA_DIR });
    console.log(`token, shown this once: ${token}`);
  });

program
  .command('call')
  .description('call a tool of the server that runs on the data folder')
  .argument('<tool>', 'name of the tool')
  .argument('[arguments]', 'its arguments as JSON', '{}')
  .option('--data-dir <folder>', 'data folder')
  .option('--confirm', 'confirm a call that deletes data', false)
  .action(async (tool: string, toolArguments: string, options: { dataDir?: string; confirm: boolean }) => {
    const { LECTERN_DATA_DIR } = embedded(options);
    const endpoint = await readEndpoint(LECTERN_DATA_DIR);
    if (!endpoint)
      return program.error(
        `no server runs on ${LECTERN_DATA_DIR}. Start it with: ${commandLine('start', { folder: process.cwd(), dataDir: LECTERN_DATA_DIR })}`,
      );
    process.exitCode = await callCommand({ ...endpoint, tool, arguments: toolArguments, confirm: options.confirm });
  });

await program.parseAsync().catch((error: unknown) => {
  const { code, message } = error as NodeJS.ErrnoException;
  const hint = code === 'EADDRINUSE' ? '. Stop what listens there, or choose another port with --port' : '';
  console.error(`lectern: ${message ?? String(error)}${hint}`);
  process.exitCode = 1;
});
