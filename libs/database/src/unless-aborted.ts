/** The result of the work, or the signal's reason as soon as it aborts; what comes later is handed to `discard`. */
export function unlessAborted<T>(
  signal: AbortSignal | undefined,
  work: Promise<T>,
  discard: (late: T) => void,
): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    let waiting = true;
    const onAbort = (): void => {
      waiting = false;
      reject(signal.reason);
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then((value) => {
      signal.removeEventListener('abort', onAbort);
      return waiting ? resolve(value) : discard(value);
    }, reject);
  });
}
