/** Milliseconds that a probe waits, a little less than the second that Kubernetes gives it by default. */
const probeMs = 900;

/** Whether requests can be answered now. A rejection counts as no, and so does silence, as of a database that is frozen. */
export async function isReadyNow(isReady: () => Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), probeMs);
  });
  try {
    return await Promise.race([isReady(), silence]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
