import { ServiceError } from '@lectern/contracts';

interface Flight<T> {
  result: Promise<T>;
  /** Callers that still wait. */
  waiting: number;
  abort: AbortController;
}

/** Lets callers who want the same thing at the same time share one computation. */
export class SingleFlight<T> {
  private readonly flights = new Map<string, Flight<T>>();

  /**
   * Joins the computation under way for a key, or starts it. An aborted caller leaves alone,
   * with `timeout`; the computation is aborted
   * when the last one has left.
   */
  async run(key: string, signal: AbortSignal, compute: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const flight = this.flights.get(key) ?? this.start(key, compute);
    flight.waiting += 1;
    const left = Promise.withResolvers<never>();
    const leave = (): void => left.reject(new ServiceError('timeout', 'The answer was given up before it was there.'));
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      return await Promise.race([flight.result, left.promise]);
    } finally {
      signal.removeEventListener('abort', leave);
      flight.waiting -= 1;
      if (flight.waiting === 0) this.end(key, flight);
    }
  }

  private start(key: string, compute: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const abort = new AbortController();
    const flight = { result: compute(abort.signal), waiting: 0, abort };
    this.flights.set(key, flight);
    return flight;
  }

  /** Nobody waits: the next caller starts anew, and work that still runs is told to stop. */
  private end(key: string, flight: Flight<T>): void {
    if (this.flights.get(key) === flight) this.flights.delete(key);
    flight.abort.abort();
  }
}
