/** Judges which series of a run are flat, as all of them must be. Only a rise counts: a falling series leaks nothing. */
import { pipelineServices } from '../../support/stack.ts';
import { median } from '../support/median.ts';
import { lagNames } from '../support/lags.ts';
import { connectionLimit, lagLimit, type Limit, type JudgedOfProcess, processLimits, waitingLimit } from './limits.ts';
import type { Sample } from './sample.ts';
import { floorOf, slopeOf, type TimedValue } from './trend.ts';

export interface SeriesVerdict {
  /** The kind of series: `memory`, `lag`. */
  what: string;
  /** Its owner: a service, a group, a server. */
  of: string;
  unit: string;
  /** Median of the judged part. */
  level: number;
  /** The rise of the series over the judged part, by its slope. */
  moved: number;
  /** The same slope for 24 hours. */
  movedInADay: number;
  limit: number;
  isFlat: boolean;
}

/** The part of a run in which caches fill, code is compiled and pools open. */
export const warmUpShare = 0.25;
/** A slope of fewer says nothing. */
export const fewestSamples = 12;

/** @throws Error if there are too few samples */
export function judgeSamples(samples: readonly Sample[]): SeriesVerdict[] {
  const judged = afterWarmUp(samples);
  if (judged.length < fewestSamples)
    throw new Error(`${judged.length} samples after the warm-up: ${fewestSamples} are the fewest that show a slope`);
  const series = (valueOf: (sample: Sample) => number): TimedValue[] =>
    judged.map((sample) => ({ atSeconds: sample.atSeconds, value: valueOf(sample) }));
  const perSecond = (countOf: (sample: Sample) => number): number => slopeOf(series(countOf));

  const ofProcesses = pipelineServices.flatMap((service) =>
    Object.entries(processLimits).map(([key, { name, limit, isSaw }]) => {
      const values = series(({ processes }) => processes[service][key as JudgedOfProcess]);
      return judgeSeries(name, service, isSaw ? floorOf(values, toothSamples(judged.length)) : values, limit);
    }),
  );
  const ofLag = lagNames.map((group) =>
    judgeSeries(
      ...(['lag', group] as const),
      series(({ topics }) => topics[group].lag),
      lagLimit(perSecond(({ topics }) => topics[group].written)),
    ),
  );
  return [
    ...ofProcesses,
    ...ofLag,
    judgeSeries(
      'connections',
      'postgres',
      series(({ postgres }) => postgres.sessions),
      connectionLimit,
    ),
    judgeSeries(
      'connections',
      'redis',
      series(({ redis }) => redis.clients),
      connectionLimit,
    ),
    judgeSeries(
      ...(['waiting', 'postgres'] as const),
      series(({ postgres }) => postgres.waiting),
      waitingLimit(perSecond(({ topics }) => topics.dispatcher.written)),
    ),
    judgeSeries(
      ...(['unpublished', 'postgres'] as const),
      series(({ postgres }) => postgres.unpublished),
      connectionLimit,
    ),
  ];
}

export const afterWarmUp = (samples: readonly Sample[]): readonly Sample[] =>
  samples.slice(Math.ceil(samples.length * warmUpShare));

/** The least of so many samples is what is really in use; in an hour's run they are three minutes, longer than a collection is waited for. */
const toothSamples = (judged: number): number => Math.max(3, Math.ceil(judged / 15));

function judgeSeries(what: string, of: string, series: readonly TimedValue[], limit: Limit): SeriesVerdict {
  const seconds = (series.at(-1)?.atSeconds ?? 0) - (series[0]?.atSeconds ?? 0);
  const slope = slopeOf(series);
  const level = median(series.map(({ value }) => value));
  const most = Math.max(limit.atLeast, limit.share * level);
  const moved = slope * seconds;
  return {
    what,
    of,
    unit: limit.unit,
    level,
    moved,
    movedInADay: slope * 86_400,
    limit: most,
    // A value that is not there must not pass.
    isFlat: moved <= most,
  };
}
