import { describe, expect, it } from '@jest/globals';
import { unlessAborted } from './unless-aborted.js';

describe('unlessAborted', () => {
  const reason = new Error('gone');
  const refuse = (): never => {
    throw new Error('nothing was to be discarded');
  };

  it('gives the result of the work, with a signal and without', async () => {
    await expect(unlessAborted(undefined, Promise.resolve(1), refuse)).resolves.toBe(1);
    const abort = new AbortController();
    await expect(unlessAborted(abort.signal, Promise.resolve(1), refuse)).resolves.toBe(1);
    abort.abort(reason);
  });

  it('rejects at once when the caller goes, and hands over what comes late', async () => {
    const abort = new AbortController();
    const work = Promise.withResolvers<string>();
    const late = Promise.withResolvers<string>();
    const waiting = unlessAborted(abort.signal, work.promise, late.resolve);
    abort.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    work.resolve('late');
    await expect(late.promise).resolves.toBe('late');
  });

  it('waits for nothing when the caller has gone before', async () => {
    const never = new Promise<never>(() => undefined);
    await expect(unlessAborted(AbortSignal.abort(reason), never, refuse)).rejects.toBe(reason);
  });
});
