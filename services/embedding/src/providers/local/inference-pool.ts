import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '@lectern/contracts';
import type { Logger } from '@lectern/telemetry';
import { InferenceChild, UnloadableModelError } from './inference-child.js';
import type { EmbedReply, EmbedRequest, LoadedModel, ModelSpec } from './messages.js';
import { Work, WorkQueue, type Priority } from './work-queue.js';

export interface InferencePoolOptions {
  /** Path of the script that a child runs. */
  script: string;
  spec: ModelSpec;
  /** Number of child processes. */
  children: number;
  logger: Logger;
}

/** The place of one child, which the next one takes when it dies. */
interface Slot {
  child?: InferenceChild;
  loaded: boolean;
  /** Lives in a row that ended too soon. */
  shortLives: number;
}

/** A child that lived so long, in milliseconds, was healthy: its successor starts at once. */
const steadyLifeMs = 10_000;
const slowestRestartMs = 10_000;
const hopelessAfterShortLives = 5;
/** A text is tried on so many children. */
const attemptsPerWork = 3;

/** Child processes that embed one text at a time each, and are replaced when they die. */
export class InferencePool {
  private readonly queue = new WorkQueue();
  private readonly closing = new AbortController();
  private readonly firstLoad = Promise.withResolvers<LoadedModel>();
  private readonly slots: readonly Slot[];
  private readonly lives: Promise<unknown>;
  private loadedModel: LoadedModel | undefined;

  /** Resolves when the first child has loaded the model; rejects with the reason when it can't. */
  static async start(options: InferencePoolOptions): Promise<InferencePool> {
    const pool = new InferencePool(options);
    try {
      await pool.firstLoad.promise;
      return pool;
    } catch (error) {
      await pool.close();
      throw error;
    }
  }

  private constructor(private readonly options: InferencePoolOptions) {
    this.slots = Array.from({ length: options.children }, () => ({ loaded: false, shortLives: 0 }));
    this.lives = Promise.all(this.slots.map((slot) => this.keepAlive(slot)));
  }

  get model(): LoadedModel {
    if (!this.loadedModel) throw new Error('the pool has not started');
    return this.loadedModel;
  }

  isReady(): boolean {
    return this.slots.some((slot) => slot.loaded);
  }

  /** Process ids of the children that are up. */
  get pids(): number[] {
    return this.slots.flatMap(({ loaded, child }) => (loaded && child?.pid ? [child.pid] : []));
  }

  /** Embeds a text when its turn comes. Rejects with `timeout` once the signal aborts, or with `unavailable`. */
  embed(request: EmbedRequest, priority: Priority, signal: AbortSignal): Promise<EmbedReply> {
    if (this.closing.signal.aborted || this.isHopeless()) return Promise.reject(unavailable());
    const work = new Work(request, priority, signal);
    if (!work.isOver) this.queue.add(work);
    return work.reply;
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.queue.rejectAll(unavailable());
    await Promise.all(this.slots.map((slot) => slot.child?.kill()));
    await this.lives;
  }

  private async keepAlive(slot: Slot): Promise<void> {
    while (!this.closing.signal.aborted) {
      const born = performance.now();
      const child = new InferenceChild(this.options.script);
      slot.child = child;
      await this.live(slot, child).catch((error: unknown) => this.noteFailedLoad(error));
      slot.loaded = false;
      await child.kill();
      if (this.closing.signal.aborted) return;
      slot.shortLives = performance.now() - born < steadyLifeMs ? slot.shortLives + 1 : 0;
      this.options.logger.warn(
        { pid: child.pid, shortLives: slot.shortLives },
        'embedding child ended, starting another',
      );
      if (this.isHopeless()) {
        this.queue.rejectAll(unavailable());
        this.firstLoad.reject(new Error('the embedding children die while they start'));
      }
      await delay(restartDelayMs(slot.shortLives), undefined, { signal: this.closing.signal }).catch(() => undefined);
    }
  }

  /** Serves texts until the child ends; rejects when it never could. */
  private async live(slot: Slot, child: InferenceChild): Promise<void> {
    const model = await child.load(this.options.spec);
    this.loadedModel ??= model;
    if (model.revision !== this.loadedModel.revision) {
      throw new UnloadableModelError('the model files have changed; restart the service to use them');
    }
    slot.loaded = true;
    this.firstLoad.resolve(model);
    for (let work = await this.queue.take(child.ended); work; work = await this.queue.take(child.ended)) {
      await this.serve(child, work);
    }
  }

  private async serve(child: InferenceChild, work: Work): Promise<void> {
    try {
      work.resolve(await child.embed(work.request));
    } catch {
      work.deaths += 1;
      if (work.isOver) return;
      if (this.closing.signal.aborted || work.deaths >= attemptsPerWork) work.reject(unavailable());
      else this.queue.add(work);
    }
  }

  private noteFailedLoad(error: unknown): void {
    if (!(error instanceof UnloadableModelError)) return;
    this.options.logger.error({ reason: error.message }, 'embedding child could not load the model');
    this.firstLoad.reject(error);
  }

  /** No child is up, and none has stayed up for a while. */
  private isHopeless(): boolean {
    return this.slots.every((slot) => !slot.loaded && slot.shortLives >= hopelessAfterShortLives);
  }
}

function restartDelayMs(shortLives: number): number {
  return shortLives === 0 ? 0 : Math.min(50 * 2 ** shortLives, slowestRestartMs);
}

function unavailable(): ServiceError {
  return new ServiceError('unavailable', 'The embedding model is not available. Try again.', { retryAfterMs: 1000 });
}
