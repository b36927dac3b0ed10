import { fileURLToPath } from 'node:url';
import { ConfigError } from '@lectern/config';
import { ServiceError, type EmbeddingModel } from '@lectern/contracts';
import type { Logger } from '@lectern/telemetry';
import type { EmbeddingProvider, PassageResult, QueryVector } from '../embedding-provider.js';
import { InferencePool } from './inference-pool.js';
import { openModelFolder } from './model-folder.js';

export interface LocalProviderOptions {
  /** Folder of a known model, laid out as on a model hub. */
  modelFolder: string;
  /** Number of child processes, each with the model in its memory. */
  children: number;
  logger: Logger;
}

// From the sources Node runs the script as it is, by stripping its types.
const script = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './child.ts' : './child.js', import.meta.url));

/** Embeds on this machine by ONNX Runtime in child processes. Throws a ConfigError when the folder can't be used. */
export async function createLocalProvider(options: LocalProviderOptions): Promise<LocalProvider> {
  const { path, name, model } = openModelFolder(options.modelFolder);
  const { pooling, lowerCaseLatin, ...space } = model;
  const spec = { folder: path, pooling, lowerCaseLatin, normalised: space.normalised, maxTokens: space.maxTokens };
  const pool = await InferencePool.start({ ...options, script, spec }).catch((error: unknown) => {
    throw new ConfigError([
      `MODEL_DIR: ${path} can't be loaded: ${error instanceof Error ? error.message : 'unknown'}`,
    ]);
  });
  if (pool.model.dimension !== space.dimension) {
    await pool.close();
    throw new ConfigError([
      `MODEL_DIR: ${path} gives ${pool.model.dimension} dimensions, ${name} has ${space.dimension}`,
    ]);
  }
  return new LocalProvider(pool, { provider: 'local', model: name, revision: pool.model.revision, ...space });
}

export class LocalProvider implements EmbeddingProvider {
  constructor(
    private readonly pool: InferencePool,
    readonly model: EmbeddingModel,
  ) {}

  async embedQuery(text: string, signal: AbortSignal): Promise<QueryVector> {
    const request = { text: this.model.queryPrefix + text, overlong: 'cut' } as const;
    const reply = await this.pool.embed(request, 'query', signal);
    if (reply.outcome === 'embedded') return { vector: reply.vector, truncated: reply.truncated };
    throw new ServiceError('invalid_request', 'The embedding model has no vector for this text. Rephrase it.');
  }

  async embedPassages(texts: readonly string[], signal: AbortSignal): Promise<PassageResult[]> {
    const given = new AbortController();
    const either = AbortSignal.any([signal, given.signal]);
    try {
      return await Promise.all(texts.map((text) => this.embedPassage(text, either)));
    } finally {
      // When one text has failed them all, the others are not worth their time.
      given.abort();
    }
  }

  isReady(): boolean {
    return this.pool.isReady();
  }

  /** Process ids of the children that are up. */
  get pids(): number[] {
    return this.pool.pids;
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  private async embedPassage(text: string, signal: AbortSignal): Promise<PassageResult> {
    const request = { text: this.model.passagePrefix + text, overlong: 'refuse' } as const;
    const reply = await this.pool.embed(request, 'passage', signal);
    return reply.outcome === 'embedded' ? { ok: true, vector: reply.vector } : { ok: false, reason: reply.outcome };
  }
}
