/** The plots of the runs over the whole system, by the names of their files. */
import type { NamedPlot } from '../../support/plots/named-plot.ts';
import type { PlottedSeries, Plot, Point } from '../../support/plots/plot.ts';
import type { Timeline } from '../system/recovery.ts';
import type { SystemResult, ToldKind } from '../system/result.ts';
import { groupsOf } from './fault-groups.ts';
import { type NamedRun, systemResultOf } from './recordings.ts';

/** Logarithmic axes have no 0; smaller values are drawn at these. */
const [leastSeconds, leastRecoverySeconds] = [0.01, 0.1];
/** Keeps an axis if all recoveries were immediate. */
const leastShownSeconds = 1;

/** Other runs have no plots. */
export function plotsOf({ name, run }: NamedRun): NamedPlot[] {
  const result = systemResultOf(run);
  if (result === undefined) return [];
  const found: [name: string, alt: string, plot: Plot][] = [
    ['traffic', 'Events taken and arrived a second, over the run', trafficOf(result)],
    ['latency', 'Seconds from acceptance to arrival, over the run', latencyOf(result)],
    ['recovery', 'Share of the faults of each group that were recovered from within some seconds', recoveryOf(result)],
  ];
  return found
    .filter(([, , { series }]) => series.some(({ points }) => points.length > 0))
    .map(([plot, alt, drawn]) => ({ name: `${name}-${plot}`, alt: `${alt}: ${name}`, plot: drawn }));
}

const overTime = { title: 'minutes since the first was taken' };
const perStretch = ({ stretchSeconds }: Timeline): string => `of each ${stretchSeconds} s, at an endpoint that is well`;

function seriesOf(
  name: string,
  { stretchSeconds }: Timeline,
  values: readonly (number | null)[],
  drawn: (value: number) => number,
): PlottedSeries {
  const points = values.flatMap((value, stretch): Point[] =>
    value === null || value === Number.POSITIVE_INFINITY ? [] : [[(stretch * stretchSeconds) / 60, drawn(value)]],
  );
  return { name, points };
}

function trafficOf({ timeline }: SystemResult): Plot {
  const perSecond = (count: number): number => count / timeline.stretchSeconds;
  return {
    title: 'Taken and arrived',
    subtitle: perStretch(timeline),
    x: overTime,
    y: { title: 'events a second' },
    series: [
      seriesOf('taken', timeline, timeline.taken, perSecond),
      seriesOf('arrived', timeline, timeline.arrived, perSecond),
    ],
  };
}

function latencyOf({ timeline }: SystemResult): Plot {
  const seconds = (value: number): number => Math.max(leastSeconds, value);
  return {
    title: 'Acceptance to arrival',
    subtitle: `of what was taken in each ${timeline.stretchSeconds} s, to an endpoint that is well`,
    x: overTime,
    y: { title: 's', log: true },
    series: [
      seriesOf('p50', timeline, timeline.p50Seconds, seconds),
      seriesOf('max', timeline, timeline.maxSeconds, seconds),
    ],
  };
}

function recoveryOf({ kinds }: SystemResult): Plot {
  const slowest = Math.max(leastShownSeconds, ...shownSeconds(kinds).filter(Number.isFinite));
  return {
    title: 'Recovered',
    subtitle: 'so long after the end of a fault; each group with how many there were',
    x: { title: `s; ${leastRecoverySeconds}: at once`, log: true },
    y: { title: '% of the faults' },
    series: groupsOf(kinds).map(({ group, kinds: ofGroup }) => {
      const seconds = shownSeconds(ofGroup);
      return { name: `${group}: ${seconds.length}`, points: stepsOf(seconds, slowest) };
    }),
  };
}

/** To a tenth. */
const shownSeconds = (kinds: readonly ToldKind[]): number[] =>
  kinds.flatMap(({ recoveriesMs }) =>
    recoveriesMs.map((ms) => Math.max(leastRecoverySeconds, Math.round(ms / 100) / 10)),
  );

/** The share of the values up to each, from the left of the plot to its right. */
function stepsOf(values: readonly number[], last: number): Point[] {
  const shareOf = (count: number): number => Math.round((1_000 * count) / values.length) / 10;
  const points: Point[] = [[leastRecoverySeconds, 0]];
  let within = 0;
  const counted = [...Map.groupBy(values.filter(Number.isFinite), (value) => value)].toSorted(([a], [b]) => a - b);
  for (const [value, all] of counted) {
    points.push([value, shareOf(within)]);
    within += all.length;
    points.push([value, shareOf(within)]);
  }
  return [...points, [last, shareOf(within)]];
}
