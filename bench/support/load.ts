import { quantile } from '@lectern/e2e';

/** What a piece of load took. */
export interface Load {
  seconds: number;
  /** Milliseconds of each call. */
  latencies: number[];
}

/** Works off the items, so many at once, and times each. The worker's number says which of the connections it is. */
export async function runLoad<Item>(
  items: readonly Item[],
  width: number,
  work: (item: Item, worker: number) => Promise<unknown>,
): Promise<Load> {
  const latencies: number[] = [];
  const rest = items.values();
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: width }, async (_, worker) => {
      for (const item of rest) {
        const sentAt = performance.now();
        await work(item, worker);
        latencies.push(performance.now() - sentAt);
      }
    }),
  );
  return { seconds: (performance.now() - startedAt) / 1000, latencies };
}

/** Pieces of load with equal conditions, as one. */
export function joinLoads(loads: readonly Load[]): Load {
  return {
    seconds: loads.reduce((sum, { seconds }) => sum + seconds, 0),
    latencies: loads.flatMap(({ latencies }) => latencies),
  };
}

export function summarise({ seconds, latencies }: Load): { perSecond: number; p50: number; p99: number } {
  return {
    perSecond: latencies.length / seconds,
    p50: median(latencies),
    p99: quantile(latencies, 0.99),
  };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
