import type { Spent } from '../../bench/peers/accounts.ts';
import { aimTable } from '../../bench/peers/aim-table.ts';
import { aims } from '../../bench/peers/aims.ts';
import { findings } from '../../bench/peers/findings.ts';
import type { MeasuredRun } from '../../bench/peers/measure-run.ts';
import { createSheet } from '../../bench/peers/sheet.ts';
import { isMet } from '../../bench/support/figure.ts';

const cost = (value: number) => ({
  name: 'processor time at 100 a second',
  unit: 'ms',
  better: 'less' as const,
  value,
});
const sustained = (value: number) => ({
  name: 'sustained for a minute',
  unit: 'a second',
  better: 'more' as const,
  value,
});

it('Hookline stands beside the peer that does better: the one that costs less, the one that does more', () => {
  const sheet = createSheet();
  sheet.add('outpost', [cost(4), sustained(200)]);
  sheet.add('svix', [cost(5), sustained(300)]);
  sheet.add('hookline-webhooks', [cost(5), sustained(270)]);

  expect(sheet.table()).toEqual([
    ['figure', 'unit', 'outpost', 'svix', 'hookline-webhooks'],
    ['processor time at 100 a second', 'ms', '4', '5', '5, 1.25 of outpost'],
    ['sustained for a minute', 'a second', '200', '300', '270, 0.9 of svix'],
  ]);
  const [ofCost, ofRate] = sheet.figures();
  expect(ofCost).toEqual({
    name: 'hookline-webhooks: processor time at 100 a second',
    unit: 'ms',
    values: [5],
    aim: { atMost: 1.5 },
    ceiling: { name: 'outpost', values: [4] },
  });
  expect([ofCost, ofRate].map((figure) => figure && isMet(figure))).toEqual([true, false]);
});

it('each layout has aims of its own, and webhooks and events may', () => {
  const sheet = createSheet();
  sheet.add('outpost', [cost(4), sustained(300)]);
  sheet.add('hookline-events', [cost(5), sustained(270)]);
  sheet.add('hookline-one-events', [cost(5), sustained(270)]);

  const figures = sheet.figures();
  expect(figures.map((figure) => [figure.name, isMet(figure)])).toEqual([
    ['hookline-events: processor time at 100 a second', true],
    ['hookline-one-events: processor time at 100 a second', false],
    ['hookline-events: sustained for a minute', true],
    ['hookline-one-events: sustained for a minute', false],
  ]);
  expect(aimTable(figures)).toEqual({
    head: ['figure', 'hookline-events', 'hookline-one-events'],
    rows: [
      ['processor time at 100 a second', '1.25 of outpost (≤ 1.5): held', '1.25 of outpost (≤ 1): MISSED'],
      ['sustained for a minute', '0.9 of outpost (≥ 0.9): held', '0.9 of outpost (≥ 1): MISSED'],
    ],
  });
});

it('every aim is one of a figure that there is', () => {
  const run = {
    reconciled: { toAcknowledgment: [1], toArrival: [1], fromDueToArrival: [1] },
    spent: {},
    record: { atPublished: {} },
  } as unknown as MeasuredRun;
  const found = [
    ...findings.atRate(run, 'at 100 a second', 1),
    ...findings.closed(run, 1),
    ...findings.sustained(1, 1),
    ...findings.kill(run, 20_000),
    ...findings.rest({} as Spent, {}, 600),
    ...findings.memory({}),
  ].map(({ name }) => name);
  expect(found).toEqual(expect.arrayContaining(Object.keys(aims)));
});

it('an aim that is a ratio is none where no peer was measured', () => {
  const sheet = createSheet();
  sheet.add('hookline-events', [cost(3)]);
  expect(sheet.figures()).toEqual([
    { name: 'hookline-events: processor time at 100 a second', unit: 'ms', values: [3] },
  ]);
  expect(sheet.table()[1]).toEqual(['processor time at 100 a second', 'ms', '3']);
});

it('an aim that is a number is judged with or without a peer', () => {
  const sheet = createSheet();
  const lost = { name: 'lost, killed amid 20,000', unit: 'events', better: 'less' as const, value: 1 };
  sheet.add('outpost', [{ ...lost, value: 0 }]);
  sheet.add('hookline-webhooks', [lost]);
  expect(sheet.figures().map(isMet)).toEqual([false]);
});

it('turns are put together, each beside the peer’s of the same turn', () => {
  const sheet = createSheet();
  for (const [theirs, ours] of [
    [4, 2],
    [8, 8],
    [6, 3],
  ] as const) {
    sheet.add('svix', [cost(theirs)]);
    sheet.add('hookline-webhooks', [cost(ours)]);
  }
  expect(sheet.table()[1]).toEqual(['processor time at 100 a second', 'ms', '6 (4 to 8)', '3 (2 to 8), 0.5 of svix']);
  expect(sheet.figures()[0]?.ceiling).toEqual({ name: 'svix', values: [4, 8, 6] });
});
