import { fork, type ChildProcess } from 'node:child_process';
import type { EmbedReply, EmbedRequest, FromChild, LoadedModel, ModelSpec, ToChild } from './messages.js';

/** Longest time in milliseconds that a child may take for one answer before it counts as stuck and is killed. */
const longestAnswerMs = 30_000;

/** The child runs, but the model can't be loaded: another child would fail as well. */
export class UnloadableModelError extends Error {
  override readonly name = 'UnloadableModelError';
}

/** A child process from its start to its end. It answers one message at a time, and may die at any moment. */
export class InferenceChild {
  private readonly process: ChildProcess;
  private readonly end = new AbortController();
  private pending: PromiseWithResolvers<FromChild> | undefined;

  constructor(script: string) {
    this.process = fork(script, [], {
      serialization: 'advanced',
      // The parent's hooks and secrets are none of its business, and stdout may be a protocol channel.
      execArgv: [],
      env: {},
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.process.on('message', (message: FromChild) => this.pending?.resolve(message));
    this.process.once('exit', () => this.end.abort());
    this.process.on('error', () => {
      if (this.process.pid === undefined) this.end.abort();
    });
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /** Aborts when the process has ended. */
  get ended(): AbortSignal {
    return this.end.signal;
  }

  /** Rejects with an {@link UnloadableModelError} that has the child's reason, or when the process ends before. */
  async load(spec: ModelSpec): Promise<LoadedModel> {
    const answer = await this.ask({ kind: 'load', spec });
    if (answer.kind === 'loaded') return answer.model;
    throw new UnloadableModelError(answer.kind === 'unloadable' ? answer.reason : 'the child answered out of turn');
  }

  /** Rejects when the process ends before it has answered. */
  async embed(request: EmbedRequest): Promise<EmbedReply> {
    const answer = await this.ask({ kind: 'embed', request });
    if (answer.kind !== 'reply') throw new Error('the child answered out of turn');
    const { reply } = answer;
    // A copy, since under jest the deserialiser makes arrays of another realm.
    return reply.outcome === 'embedded' ? { ...reply, vector: new Float32Array(reply.vector) } : reply;
  }

  /** Ends the process at once: it holds nothing that would have to be saved. */
  async kill(): Promise<void> {
    if (this.ended.aborted) return;
    const ended = new Promise((resolve) => this.ended.addEventListener('abort', resolve, { once: true }));
    this.process.kill('SIGKILL');
    await ended;
  }

  private async ask(message: ToChild): Promise<FromChild> {
    const pending = Promise.withResolvers<FromChild>();
    const die = (): void => pending.reject(new Error('the child process has ended'));
    const stuck = setTimeout(() => this.process.kill('SIGKILL'), longestAnswerMs);
    this.ended.addEventListener('abort', die, { once: true });
    if (this.ended.aborted) die();
    this.pending = pending;
    try {
      // A message that can't be delivered is followed by the end of the process.
      this.process.send(message, () => undefined);
      return await pending.promise;
    } finally {
      clearTimeout(stuck);
      this.ended.removeEventListener('abort', die);
    }
  }
}
