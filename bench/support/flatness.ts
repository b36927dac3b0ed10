/** A value at a time in milliseconds. */
export interface Sample {
  at: number;
  value: number;
}

/** How much a series may grow from the first to the last sample and still count as flat: the larger of both. */
export interface Tolerance {
  /** Share of the series' median. */
  share: number;
  /** In the unit of the series. */
  absolute: number;
}

export interface Verdict {
  /** Medians of the first and the last third. */
  early: number;
  late: number;
  /** What the trend adds from the first to the last sample; negative when it falls. */
  growth: number;
  allowed: number;
  isFlat: boolean;
}

/** Judges a series by its Theil–Sen trend, the median of the slopes of all pairs, which no single peak can bend. */
export function judge(samples: readonly Sample[], tolerance: Tolerance): Verdict {
  if (samples.length < 6) throw new Error('so few samples have no trend: run longer');
  const values = samples.map(({ value }) => value);
  const third = Math.floor(values.length / 3);
  const slopes = samples.flatMap((from, index) =>
    samples.slice(index + 1).map((to) => (to.value - from.value) / (to.at - from.at)),
  );
  const growth = median(slopes) * (samples.at(-1)!.at - samples[0]!.at);
  const allowed = Math.max(tolerance.absolute, tolerance.share * median(values));
  return {
    early: median(values.slice(0, third)),
    late: median(values.slice(-third)),
    growth,
    allowed,
    isFlat: growth <= allowed,
  };
}

/** The lowest of each so many samples in a row. */
export function floorOf(samples: readonly Sample[], each: number): Sample[] {
  return Array.from({ length: Math.floor(samples.length / each) }, (_, block) =>
    samples
      .slice(block * each, (block + 1) * each)
      .reduce((lowest, sample) => (sample.value < lowest.value ? sample : lowest)),
  );
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}
