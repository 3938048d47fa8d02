import { compareReports } from '../../bench/support/compare.ts';
import { describeFigure, type Figure, isMet, judgedOf } from '../../bench/support/figure.ts';
import type { KeptReport } from '../../bench/support/kept-reports.ts';

const accepted: Figure = {
  name: 'accepted',
  unit: 'a second',
  values: [700, 900, 800],
  aim: { atLeast: 0.7 },
  ceiling: { name: 'bare server', values: [1_000, 1_000, 1_000] },
};
const latency: Figure = { name: 'p99', unit: 'ms', values: [21], aim: { atMost: 20 } };

it('is judged by the ratio of each turn to its ceiling, and without one by itself', () => {
  expect(judgedOf(accepted)).toEqual({ median: 0.8, least: 0.7, most: 0.9 });
  expect(judgedOf(latency)).toEqual({ median: 21, least: 21, most: 21 });
});

it('meets its aim, or does not', () => {
  expect(isMet(accepted)).toBe(true);
  expect(isMet({ ...accepted, aim: { atLeast: 0.81 } })).toBe(false);
  expect(isMet(latency)).toBe(false);
  expect(isMet({ ...latency, aim: { atMost: 21 } })).toBe(true);
  expect(isMet({ name: 'p50', unit: 'ms', values: [3] })).toBeUndefined();
});

it('says what it is, beside what, and whether that is enough', () => {
  expect(describeFigure(accepted)).toBe(
    'accepted: 800 a second; bare server 1,000: 0.8 of it (0.7 to 0.9); aim at least 0.7: met',
  );
  expect(describeFigure(latency)).toBe('p99: 21 ms; aim at most 20: MISSED');
});

it('is compared with what it was, and a difference that is within the spread is said to be', () => {
  const report = (figures: Figure[]): KeptReport => ({
    bench: 'some',
    startedAt: '2026-01-02T03:04:05.000Z',
    commit: '0123abcd',
    again: '',
    setUp: '',
    notes: [],
    unaccounted: [],
    figures,
    machine: { node: 'v24', cpus: '', memoryGiB: 1, loadBefore: 0.5 },
  });
  const better = { ...accepted, values: [950, 1_000, 990] };
  const alike = { ...accepted, name: 'alike', values: [750, 850, 850] };

  expect(
    compareReports(
      report([accepted, { ...accepted, name: 'alike' }, { ...latency, name: 'other' }]),
      report([better, alike, latency, { ...accepted, name: 'other' }]),
    ),
  ).toBe(
    [
      'compared with 2026-01-02T03:04 (load 0.5 then):',
      'accepted: 0.8, now 0.99 of bare server, 1.24 times',
      'alike: 0.8, now 0.85 of bare server, 1.06 times; their ranges overlap',
      'p99: not measured then',
      'other: measured in another way then',
    ].join('\n  '),
  );
});
