import { spawn, type ChildProcess } from 'node:child_process';

export interface ServiceProcessOptions {
  name: string;
  entry: string;
  environment: Record<string, string | undefined>;
  log: (text: string) => void;
}

const longestPauseMs = 10_000;

/** One service process, which, once it was ready, is started anew when it ends before it is told to. */
export class ServiceProcess {
  private child: ChildProcess | undefined;
  private stopping = false;
  private wasReady = false;
  private hasEnded = false;
  /** Whether the living child said that it has started, so that what answers on its port is no stranger. */
  private hasStarted = false;
  private failures = 0;
  private ended: Promise<void> = Promise.resolve();

  constructor(private readonly options: ServiceProcessOptions) {}

  start(): void {
    const { name, entry, environment, log } = this.options;
    const register = import.meta.resolve('@lectern/telemetry/register');
    const startedAt = Date.now();
    const child = spawn(process.execPath, ['--import', register, entry], {
      env: { ...environment, OTEL_SERVICE_NAME: `lectern-${name.replace(/-\d+$/, '')}` },
      // A group of its own: Ctrl-C reaches the supervisor alone, which stops the services in order.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.child = child;
    [this.hasStarted, this.hasEnded] = [false, false];
    child.once('message', () => (this.hasStarted = true));
    this.ended = new Promise((resolve) => {
      const end = (): void => {
        this.hasEnded = true;
        resolve();
      };
      child.once('error', end);
      child.once('exit', (code, signal) => {
        end();
        if (this.stopping || !this.wasReady) return;
        this.failures = Date.now() - startedAt > 60_000 ? 0 : this.failures + 1;
        const pauseMs = Math.min(longestPauseMs, 200 * 2 ** this.failures);
        log(`${name} ended (${signal ?? code}); starting it again in ${pauseMs} ms`);
        setTimeout(() => {
          if (!this.stopping) this.start();
        }, pauseMs);
      });
    });
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Resolves when the health port says that it is ready; rejects when it ends before, or takes over a minute. */
  async untilReady(healthPort: number): Promise<void> {
    const deadline = Date.now() + 60_000;
    const { name } = this.options;
    for (;;) {
      if (this.wasReady) return;
      const ready = this.hasStarted && (await isReady(healthPort));
      if (this.hasEnded) throw new Error(`${name} could not start; it says why above`);
      this.wasReady = ready;
      if (!ready && Date.now() > deadline) throw new Error(`${name} was not ready within a minute; its log is above`);
      if (!ready) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.child?.kill('SIGTERM');
    await this.ended;
  }
}

async function isReady(healthPort: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${healthPort}/readyz`).catch(() => undefined);
  return response?.ok === true;
}
