/** How a series moves over time, by measures that single outliers do not sway. */
import { median } from '../support/median.ts';

/** @property atSeconds in order */
export interface TimedValue {
  atSeconds: number;
  value: number;
}

/** The slopes between all pairs grow with the square of their number. */
const mostPoints = 300;

/**
 * Theil's and Sen's slope: the median of the slopes between all pairs, which up to 29 % of outliers do not change.
 *
 * @returns the slope per second; 0 for fewer than two points
 */
export function slopeOf(series: readonly TimedValue[]): number {
  const points = condense(series, Math.ceil(series.length / mostPoints), median);
  const slopes = points.flatMap((from, index) =>
    points.slice(index + 1).map((to) => (to.value - from.value) / (to.atSeconds - from.atSeconds)),
  );
  return slopes.length === 0 ? 0 : median(slopes);
}

/** The least value of each so many: what a sawtooth, such as a heap between two collections, comes down to. */
export const floorOf = (series: readonly TimedValue[], samples: number): TimedValue[] =>
  condense(series, samples, (values) => Math.min(...values));

/** One point for each so many, at the middle of their time; what is left over at the beginning belongs to none. */
function condense(
  series: readonly TimedValue[],
  samples: number,
  valueOf: (values: readonly number[]) => number,
): TimedValue[] {
  if (samples <= 1) return [...series];
  const first = series.length % samples;
  return Array.from({ length: Math.floor(series.length / samples) }, (_, block) => {
    const part = series.slice(first + block * samples, first + (block + 1) * samples);
    return {
      atSeconds: median(part.map(({ atSeconds }) => atSeconds)),
      value: valueOf(part.map(({ value }) => value)),
    };
  });
}
