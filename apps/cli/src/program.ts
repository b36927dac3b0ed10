import { resolve } from 'node:path';
import { loadConfigOrExit } from '@lectern/config';
import { Command, InvalidArgumentError } from 'commander';
import { adminLogin, databaseAddress, type AdminLogin } from './admin-login.js';
import { commandLine } from './command-line.js';
import { callCommand } from './commands/call.command.js';
import { runMigrations } from './commands/migrate.command.js';
import { startCommand } from './commands/start.command.js';
import { stackCommand } from './commands/stack.command.js';
import { stdioCommand } from './commands/stdio.command.js';
import { resetTokenOfDatabase, resetTokenOfFolder } from './commands/token.command.js';
import { embeddedConfig, type EmbeddedConfig } from './embedded/config.js';
import { readEndpoint, type Endpoint } from './embedded/endpoint-file.js';
import { adminSettings, callSettings, stackSettings } from './settings.js';

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

function requiredLogin(): AdminLogin {
  return (
    adminLogin(loadConfigOrExit(adminSettings, process.env)) ??
    program.error(`DATABASE_URL is not set. ${adminSettings.shape.DATABASE_URL.description}`)
  );
}

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
    await stackCommand(options, loadConfigOrExit(stackSettings, process.env));
  });

program
  .command('migrate')
  .description('bring the database of DATABASE_ADMIN_URL (else DATABASE_URL) to this release')
  .action(async () => {
    const { DATABASE_SERVICE_LOGIN: name, DATABASE_SERVICE_PASSWORD: password } = loadConfigOrExit(
      adminSettings,
      process.env,
    );
    const { applied, token } = await runMigrations({
      login: requiredLogin(),
      serviceLogin: name ? { name, password } : undefined,
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
    // A folder that is named wins over a database that the environment names.
    const login = options.dataDir ? undefined : adminLogin(loadConfigOrExit(adminSettings, process.env));
    const { LECTERN_DATA_DIR } = embedded(options);
    const token = await (login ? resetTokenOfDatabase(login) : resetTokenOfFolder(LECTERN_DATA_DIR));
    const installation = login ? `the database ${databaseAddress(login.url)} (${login.setting})` : LECTERN_DATA_DIR;
    console.log(`token of ${installation}, shown this once: ${token}`);
  });

program
  .command('call')
  .description('call a tool of the server that runs on the data folder, or of another one')
  .argument('<tool>', 'name of the tool')
  .argument('[arguments]', 'its arguments as JSON', '{}')
  .option('--data-dir <folder>', 'data folder')
  .option('--url <url>', 'endpoint of a server, such as http://127.0.0.1:8080/mcp')
  .option('--token <token>', 'bearer token for --url; without it LECTERN_TOKEN is taken')
  .option('--confirm', 'confirm a call that deletes data', false)
  .action(async (tool: string, toolArguments: string, options: CallFlags) => {
    const { url, token } = options.url ? named(options.url, options.token) : await running(options);
    process.exitCode = await callCommand({ url, token, tool, arguments: toolArguments, confirm: options.confirm });
  });

interface CallFlags {
  dataDir?: string;
  url?: string;
  token?: string;
  confirm: boolean;
}

function named(url: string, flag: string | undefined): { url: string; token: string } {
  if (!URL.canParse(url)) program.error('--url takes a URL such as http://127.0.0.1:8080/mcp');
  const token = flag ?? loadConfigOrExit(callSettings, process.env).LECTERN_TOKEN;
  return { url, token: token ?? program.error('--url needs a token: give --token, or set LECTERN_TOKEN') };
}

async function running(options: CallFlags): Promise<Endpoint> {
  const { LECTERN_DATA_DIR: dataDir } = embedded(options);
  const start = commandLine('start', { folder: process.cwd(), dataDir });
  return (await readEndpoint(dataDir)) ?? program.error(`no server runs on ${dataDir}. Start it with: ${start}`);
}

/** What to do about an error of the system, by its code. */
const hints: Record<string, string> = {
  EADDRINUSE: 'Stop what listens there, or choose another port with --port',
  EADDRNOTAVAIL: 'HOST names no address of this machine: correct it, or leave it out to listen on 127.0.0.1',
  ENOTFOUND: 'HOST has to be an address of this machine: correct it, or leave it out to listen on 127.0.0.1',
};

await program.parseAsync().catch((error: unknown) => {
  const { code, message } = error as NodeJS.ErrnoException;
  const hint = hints[code ?? ''];
  console.error(`lectern: ${message ?? String(error)}${hint ? `. ${hint}` : ''}`);
  process.exitCode = 1;
});
