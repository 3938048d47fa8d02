import { percentile } from '../../support/percentiles.ts';
import type { ComparedFigure } from '../support/figure.ts';
import type { Spent } from './accounts.ts';
import type { MeasuredRun } from './measure-run.ts';
import type { Endpoints } from './systems/system.ts';

/** One figure of one system in one turn. */
export interface Finding extends Omit<ComparedFigure, 'values'> {
  value: number;
}

type Aim = NonNullable<Finding['aim']>;

const withEndpoints = (name: string, endpoints: Endpoints): string =>
  endpoints === 1 ? name : `${name}, ten endpoints`;

/** The findings of each step, by the same names for every system. */
export const findings = {
  atRate(run: MeasuredRun, rate: string, endpoints: Endpoints): Finding[] {
    const named = (name: string): string => withEndpoints(`${name} ${rate}`, endpoints);
    const isAimedAt = rate === 'at 100 a second' && endpoints === 1;
    return [
      cost(run, named('processor time'), endpoints, { ofBestPeer: 0.8 }),
      ...latencies(run.reconciled.toAcknowledgment, named('to acknowledgment')),
      ...latencies(run.reconciled.toArrival, named('acknowledged to arrived'), isAimedAt ? [30, 60] : undefined),
      own(run, named('sender and receiver')),
    ];
  },

  closed(run: MeasuredRun, endpoints: Endpoints): Finding[] {
    const { record } = run;
    const { acknowledged, arrived } = record.atPublished;
    const seconds = record.publishedMs / 1_000;
    const drainSeconds = (record.drainedMs - record.publishedMs) / 1_000;
    const named = (name: string): string => withEndpoints(`${name}, 64 connections`, endpoints);
    return [
      more(named('acknowledged'), 'a second', acknowledged / seconds, { ofBestPeer: 1 }),
      more(named('arrived meanwhile'), 'a second', arrived / seconds, { ofBestPeer: 1 }),
      ...(drainSeconds > 1
        ? [more(named('arrived after that'), 'a second', (run.reconciled.arrived - arrived) / drainSeconds)]
        : []),
      cost(run, named('processor time'), endpoints),
      ...latencies(run.reconciled.toAcknowledgment, named('to acknowledgment')),
      own(run, named('sender and receiver')),
    ];
  },

  sustained: (perSecond: number, endpoints: Endpoints): Finding[] => [
    more(withEndpoints('sustained for a minute', endpoints), 'events a second', perSecond, { ofBestPeer: 1.5 }),
  ],

  isolation(without: MeasuredRun, hanging: MeasuredRun, perSecond: number): Finding[] {
    const p99 = ({ reconciled }: MeasuredRun): number => percentile(reconciled.fromDueToArrival, 0.99);
    const at = `at ${perSecond} a second, ten endpoints`;
    return [
      less(`due to arrived ${at}, p99`, 'ms', p99(without)),
      less(`the same at nine while one hangs, p99`, 'ms', p99(hanging)),
      cost(without, `processor time ${at}`, 10),
    ];
  },

  kill({ reconciled, record }: MeasuredRun, count: number): Finding[] {
    const named = (name: string): string => `${name}, killed amid ${count.toLocaleString('en-US')}`;
    return [
      less(named('lost'), 'events', reconciled.lost, { atMost: 0 }),
      less(named('arrived twice'), 'events', reconciled.twice),
      { name: named('arrived though never acknowledged'), unit: 'events', value: reconciled.unacknowledged },
      less(named('never acknowledged'), 'events', record.published - reconciled.acknowledged),
    ];
  },

  rest: (spent: Spent, memory: Readonly<Record<string, number>>): Finding[] => [
    less('at rest', '% of a core', (100 * spent.system) / spent.seconds, { atMost: 6 }),
    less(
      'memory (PSS)',
      'MiB',
      Object.values(memory).reduce((sum, each) => sum + each, 0),
    ),
  ],
};

type Judged = (name: string, unit: string, value: number, aim?: Aim) => Finding;
const less: Judged = (name, unit, value, aim) => ({ name, unit, value, better: 'less', ...(aim && { aim }) });
const more: Judged = (name, unit, value, aim) => ({ name, unit, value, better: 'more', ...(aim && { aim }) });

/** Cost per event with one endpoint, per delivery with ten. */
const cost = ({ spent, reconciled }: MeasuredRun, name: string, endpoints: Endpoints, aim?: Aim): Finding =>
  less(name, endpoints === 1 ? 'ms an event' : 'ms a delivery', (spent.system * 1_000) / reconciled.arrived, aim);

const own = ({ spent, reconciled }: MeasuredRun, name: string): Finding => ({
  ...{ name, unit: 'ms an arrival', value: (spent.ours * 1_000) / reconciled.arrived },
});

const latencies = (values: readonly number[], name: string, aims?: readonly [p50: number, p99: number]): Finding[] =>
  [0.5, 0.99].map((share, index) =>
    less(
      `${name}, p${share * 100}`,
      'ms',
      percentile(values, share),
      aims === undefined ? undefined : { atMost: aims[index] ?? 0 },
    ),
  );
