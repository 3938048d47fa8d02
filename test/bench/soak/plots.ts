/** The plots of a run, by the names of their files. */
import type { NamedPlot } from '../../support/plots/named-plot.ts';
import type { PlottedSeries, Plot, Point } from '../../support/plots/plot.ts';
import { pipelineServices } from '../../support/stack.ts';
import { lagNames } from '../support/lags.ts';
import { warmUpShare } from './judge.ts';
import { repeatedShare } from '../traffic/load-process.ts';
import type { SoakReport } from './report.ts';
import type { ProcessSample, Sample } from './sample.ts';

/** docs/scaling.md: an event of 2 kB in all tables. */
export const expectedKbOfEvent = 7.8;
const mostTables = 6;

export function plotsOf({ minutes, result }: SoakReport): NamedPlot[] {
  const { samples, latencies, perSecond } = result;
  const overTime = (title: string, unit: string, series: PlottedSeries[]): Plot => ({
    title,
    x: { title: 'minutes' },
    y: { title: unit },
    series,
    marks: [{ x: minutes * warmUpShare, label: 'judged from here on' }],
  });
  const line = (name: string, valueOf: (sample: Sample) => number, dashed = false): PlottedSeries => ({
    name,
    points: samples.map((sample): Point => [sample.atSeconds / 60, valueOf(sample)]),
    dashed,
  });
  const ofServices = (key: keyof ProcessSample): PlottedSeries[] =>
    pipelineServices.map((name) => line(name, ({ processes }) => processes[name][key]));
  const latency = (name: string, valueOf: (minute: (typeof latencies)[number]) => number): PlottedSeries => ({
    name,
    // Values below a millisecond can't be drawn on this axis.
    points: latencies.map((minute): Point => [minute.minute, Math.max(1, valueOf(minute))]),
  });
  const distinctPerSecond = perSecond * (1 - repeatedShare);
  const [first] = samples;
  if (first === undefined) throw new Error('a run without samples');
  const tableMib = ({ postgres }: Sample): number =>
    Object.values(postgres.tableMib).reduce((sum, each) => sum + each, 0);
  const largest = Object.entries(samples.at(-1)?.postgres.tableMib ?? {})
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, mostTables)
    .map(([name]) => name);

  const found: [name: string, alt: string, plot: Plot][] = [
    ['memory', 'Resident memory of each service', overTime('Memory', 'MiB resident', ofServices('residentMib'))],
    ['heap', 'Heap of each service, a saw between collections', overTime('Heap', 'MiB used', ofServices('heapMib'))],
    ['handles', 'Open file handles of each service', overTime('Open file handles', 'handles', ofServices('handles'))],
    [
      'connections',
      'TCP connections of each service, sessions of Postgres, clients of Redis',
      overTime('Connections', 'established', [
        ...ofServices('connections'),
        line('sessions of Postgres', ({ postgres }) => postgres.sessions),
        line('clients of Redis', ({ redis }) => redis.clients),
      ]),
    ],
    [
      'lag',
      'Consumer lag of each group',
      overTime(
        'Consumer lag',
        'records not committed',
        lagNames.map((group) => line(group, ({ topics }) => topics[group].lag)),
      ),
    ],
    [
      'waiting',
      'Deliveries that wait and events that are unpublished',
      overTime('Waiting', 'rows', [
        line('deliveries that wait', ({ postgres }) => postgres.waiting),
        line('events not published yet', ({ postgres }) => postgres.unpublished),
      ]),
    ],
    [
      'loop',
      'Event loop lag of each service',
      overTime('Event loop', 'ms late, p99 since the last look', ofServices('loopLagP99Ms')),
    ],
    [
      'redis',
      'Keys in Redis, measured and expected',
      overTime('Keys in Redis: they grow for 72 hours', 'keys', [
        line('keys', ({ redis }) => redis.keys),
        line(
          `expected: ${distinctPerSecond.toFixed(1)} distinct webhooks a second`,
          ({ atSeconds }) => first.redis.keys + (atSeconds - first.atSeconds) * distinctPerSecond,
          true,
        ),
      ]),
    ],
    [
      'tables',
      'Size of the largest tables, and of all beside what is expected',
      overTime('Tables in Postgres: they grow until retention', 'MiB with indexes', [
        line('all', tableMib),
        line(
          `expected: ${expectedKbOfEvent} kB an event`,
          ({ atSeconds }) =>
            tableMib(first) + ((atSeconds - first.atSeconds) * distinctPerSecond * expectedKbOfEvent * 1_000) / 2 ** 20,
          true,
        ),
        ...largest.map((name) => line(name, ({ postgres }) => postgres.tableMib[name] ?? 0)),
      ]),
    ],
  ];
  if (latencies.length > 0)
    found.push([
      'latency',
      'Latencies by minute',
      {
        title: 'Latency',
        subtitle: 'of what was accepted in each minute',
        x: { title: 'minutes' },
        y: { title: 'ms', log: true },
        series: [
          latency('request to answer, p50', ({ answered }) => answered.p50),
          latency('request to answer, p99', ({ answered }) => answered.p99),
          latency('accepted to arrived, p50', ({ arrived }) => arrived.p50),
          latency('accepted to arrived, p99', ({ arrived }) => arrived.p99),
        ],
      },
    ]);
  return found.map(([name, alt, plot]) => ({ name, alt, plot }));
}
