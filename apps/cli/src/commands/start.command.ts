import { commandLine, entryFile } from '../command-line.js';
import type { EmbeddedConfig } from '../embedded/config.js';
import { startEmbedded, type EmbeddedServer } from '../embedded/embedded-server.js';
import { ensureSample } from '../sample/sample-knowledge-base.js';
import { curlLine, snippets } from '../snippets.js';
import { untilStopped } from './until-stopped.js';

export interface StartOptions {
  config: EmbeddedConfig;
  /** Print one line of JSON for programs in place of text for people. */
  json: boolean;
  sample: boolean;
}

/** Runs embedded mode until Ctrl-C. Resolves to the exit code. */
export async function startCommand({ config, json, sample }: StartOptions): Promise<number> {
  const startedAt = performance.now();
  const server = await startEmbedded(config);
  if (!server) {
    console.error(`Lectern runs already on ${config.LECTERN_DATA_DIR}. Stop it first, or set LECTERN_DATA_DIR.`);
    return 1;
  }
  const stopped = untilStopped();
  try {
    if (sample) await showSample(server).catch(reportSample);
    if (json) announce(server);
    else explain(server, config, performance.now() - startedAt);
    await stopped;
  } finally {
    await server.close();
  }
  return 0;
}

async function showSample({ client, caller }: EmbeddedServer): Promise<void> {
  let shown = -1;
  await ensureSample({
    client,
    caller,
    onProgress(done, total) {
      if (done === shown) return;
      shown = done;
      console.error(`sample knowledge base: ${done} of ${total} documents ready`);
    },
  });
}

/** The server is of use without its sample, which the next start completes. */
function reportSample(error: unknown): void {
  console.error(`the sample knowledge base is not complete: ${error instanceof Error ? error.message : String(error)}`);
}

function announce({ endpoint, newToken }: EmbeddedServer): void {
  const processes = [{ name: 'lectern', pid: process.pid }];
  console.log(JSON.stringify({ urls: [endpoint.url], token: newToken ?? endpoint.token, processes }));
}

function explain({ endpoint, newToken }: EmbeddedServer, config: EmbeddedConfig, milliseconds: number): void {
  const dataDir = config.LECTERN_DATA_DIR;
  const reset = commandLine('token reset', { folder: process.cwd(), dataDir });
  const token = newToken ?? '<your token>';
  const lines = [
    '',
    `Lectern answers at ${endpoint.url} (started in ${(milliseconds / 1000).toFixed(1)} s, data in ${dataDir})`,
    newToken
      ? `Token, shown this once: ${newToken}`
      : `Token: the one that the first start showed. Lost it? Stop the server and run: ${reset}`,
    '',
    'Ask it something:',
    curlLine(endpoint.url, token),
    ...snippets({
      url: endpoint.url,
      token,
      node: process.execPath,
      entry: entryFile,
      dataDir,
    }).flatMap((snippet) => ['', `${snippet.client} (${snippet.where}):`, snippet.text]),
    '',
    'Ctrl-C stops it.',
  ];
  console.log(lines.join('\n'));
}
