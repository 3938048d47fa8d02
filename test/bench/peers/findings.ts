import { percentile } from '../../support/percentiles.ts';
import type { ComparedFigure } from '../support/figure.ts';
import type { Spent } from './accounts.ts';
import type { MeasuredRun } from './measure-run.ts';
import type { Endpoints } from './systems/system.ts';

/** One figure of one system in one turn. */
export interface Finding extends Omit<ComparedFigure, 'values'> {
  value: number;
}

type ByProcess = Readonly<Record<string, number>>;

const withEndpoints = (name: string, endpoints: Endpoints): string =>
  endpoints === 1 ? name : `${name}, ten endpoints`;

/** The findings of each step, by the same names for every system. */
export const findings = {
  atRate(run: MeasuredRun, rate: string, endpoints: Endpoints): Finding[] {
    const named = (name: string): string => withEndpoints(`${name} ${rate}`, endpoints);
    return [
      cost(run, named('processor time'), endpoints),
      ...latencies(run.reconciled.toAcknowledgment, named('to acknowledgment')),
      ...latencies(run.reconciled.toArrival, named('acknowledged to arrived')),
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
      more(named('acknowledged'), 'a second', acknowledged / seconds),
      more(named('arrived meanwhile'), 'a second', arrived / seconds),
      more(named('arrived meanwhile, of what is acknowledged'), 'as a share', arrived / (acknowledged * endpoints)),
      ...(drainSeconds > 1
        ? [more(named('arrived after that'), 'a second', (run.reconciled.arrived - arrived) / drainSeconds)]
        : []),
      cost(run, named('processor time'), endpoints),
      ...latencies(run.reconciled.toAcknowledgment, named('to acknowledgment')),
      own(run, named('sender and receiver')),
    ];
  },

  sustained: (perSecond: number, endpoints: Endpoints): Finding[] => [
    more(withEndpoints('sustained for a minute', endpoints), 'events a second', perSecond),
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
      less(named('lost'), 'events', reconciled.lost),
      less(named('arrived twice'), 'events', reconciled.twice),
      { name: named('arrived though never acknowledged'), unit: 'events', value: reconciled.unacknowledged },
      less(named('never acknowledged'), 'events', record.published - reconciled.acknowledged),
    ];
  },

  rest: (spent: Spent, memory: ByProcess, afterSeconds: number): Finding[] => [
    less(`at rest, ${afterSeconds} s after load`, '% of a core', (100 * spent.system) / spent.seconds),
    less(`memory (PSS), ${afterSeconds} s after load`, 'MiB', sumOf(memory)),
  ],

  memory: (memory: ByProcess): Finding[] => [less('memory (PSS), after load', 'MiB', sumOf(memory))],
};

/** The same by process: the systems have different ones, so only two checkouts of one system are compared by them. */
export const findingsByProcess = {
  cost: ({ spent, reconciled }: MeasuredRun, name: string): Finding[] =>
    byEach(spent.by).map(([process, seconds]) =>
      less(`processor time ${name}: ${process}`, 'ms', (seconds * 1_000) / reconciled.arrived),
    ),

  rest: (spent: Spent): Finding[] =>
    byEach(spent.by).map(([process, seconds]) =>
      less(`at rest: ${process}`, '% of a core', (100 * seconds) / spent.seconds),
    ),

  memory: (memory: ByProcess, when: string): Finding[] =>
    byEach(memory).map(([process, mebibytes]) => less(`memory (PSS), ${when}: ${process}`, 'MiB', mebibytes)),
};

type Judged = (name: string, unit: string, value: number) => Finding;
const less: Judged = (name, unit, value) => ({ name, unit, value, better: 'less' });
const more: Judged = (name, unit, value) => ({ name, unit, value, better: 'more' });

/** Cost per event with one endpoint, per delivery with ten. */
const cost = ({ spent, reconciled }: MeasuredRun, name: string, endpoints: Endpoints): Finding =>
  less(name, endpoints === 1 ? 'ms an event' : 'ms a delivery', (spent.system * 1_000) / reconciled.arrived);

const own = ({ spent, reconciled }: MeasuredRun, name: string): Finding => ({
  name,
  unit: 'ms an arrival',
  value: (spent.ours * 1_000) / reconciled.arrived,
});

const latencies = (values: readonly number[], name: string): Finding[] =>
  [0.5, 0.99].map((share) => less(`${name}, p${share * 100}`, 'ms', percentile(values, share)));

const byEach = (values: ByProcess): [process: string, value: number][] => Object.entries(values);
const sumOf = (values: ByProcess): number => Object.values(values).reduce((sum, each) => sum + each, 0);
