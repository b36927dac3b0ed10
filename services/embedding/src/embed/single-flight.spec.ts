import { describe, expect, it } from '@jest/globals';
import { SingleFlight } from './single-flight.js';

const forever = new AbortController().signal;

/** A computation that the test ends, and what it has seen. */
function computation() {
  const result = Promise.withResolvers<string>();
  const signals: AbortSignal[] = [];
  const compute = (signal: AbortSignal): Promise<string> => {
    signals.push(signal);
    return result.promise;
  };
  return { ...result, compute, signals };
}

describe('SingleFlight', () => {
  it('computes once for all who ask at the same time', async () => {
    const flights = new SingleFlight<string>();
    const { compute, resolve, signals } = computation();
    const answers = [1, 2, 3].map(() => flights.run('key', forever, compute));
    resolve('value');
    expect(await Promise.all(answers)).toEqual(['value', 'value', 'value']);
    expect(signals).toHaveLength(1);
  });

  it('computes anew for those who ask later, and apart for other keys', async () => {
    const flights = new SingleFlight<string>();
    const { compute, resolve, signals } = computation();
    resolve('value');
    await Promise.all([flights.run('key', forever, compute), flights.run('other', forever, compute)]);
    await flights.run('key', forever, compute);
    expect(signals).toHaveLength(3);
  });

  it('lets an aborted caller leave without hurting the others, also when it was the first', async () => {
    const flights = new SingleFlight<string>();
    const { compute, resolve, signals } = computation();
    const abort = new AbortController();
    const first = flights.run('key', abort.signal, compute);
    const second = flights.run('key', forever, compute);
    abort.abort();
    await expect(first).rejects.toMatchObject({ code: 'timeout' });
    expect(signals[0]?.aborted).toBe(false);
    resolve('value');
    expect(await second).toBe('value');
  });

  it('stops the computation when the last caller has left, and starts another for the next', async () => {
    const flights = new SingleFlight<string>();
    const abandoned = computation();
    const abort = new AbortController();
    const only = flights.run('key', abort.signal, abandoned.compute);
    abort.abort();
    await expect(only).rejects.toMatchObject({ code: 'timeout' });
    expect(abandoned.signals[0]?.aborted).toBe(true);
    const wanted = computation();
    wanted.resolve('value');
    expect(await flights.run('key', forever, wanted.compute)).toBe('value');
  });

  it('fails all callers with the computation, and remembers no failure', async () => {
    const flights = new SingleFlight<string>();
    const broken = computation();
    const answers = [1, 2].map(() => flights.run('key', forever, broken.compute));
    broken.reject(new Error('broken'));
    for (const answer of answers) await expect(answer).rejects.toThrow('broken');
    const wanted = computation();
    wanted.resolve('value');
    expect(await flights.run('key', forever, wanted.compute)).toBe('value');
  });
});
