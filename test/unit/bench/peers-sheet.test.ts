import { createSheet } from '../../bench/peers/sheet.ts';
import { isMet } from '../../bench/support/figure.ts';

const cost = (value: number) => ({
  ...{ name: 'processor time', unit: 'ms', better: 'less' as const, aim: { ofBestPeer: 0.8 }, value },
});
const sustained = (value: number) => ({
  ...{ name: 'sustained', unit: 'a second', better: 'more' as const, aim: { ofBestPeer: 1.5 }, value },
});

it('Hookline stands beside the peer that does better: the one that costs less, the one that does more', () => {
  const sheet = createSheet();
  sheet.add('outpost', [cost(4), sustained(200)]);
  sheet.add('svix', [cost(5), sustained(300)]);
  sheet.add('hookline-webhooks', [cost(3), sustained(360)]);

  expect(sheet.table()).toEqual([
    ['figure', 'unit', 'outpost', 'svix', 'hookline-webhooks'],
    ['processor time', 'ms', '4', '5', '3, 0.75 of outpost'],
    ['sustained', 'a second', '200', '300', '360, 1.2 of svix'],
  ]);
  const [ofCost, ofRate] = sheet.figures();
  expect(ofCost).toEqual({
    ...{ name: 'hookline-webhooks: processor time', unit: 'ms', values: [3], aim: { atMost: 0.8 } },
    ceiling: { name: 'outpost', values: [4] },
  });
  expect([ofCost, ofRate].map((figure) => figure && isMet(figure))).toEqual([true, false]);
});

it('an aim that is a ratio is none where no peer was measured', () => {
  const sheet = createSheet();
  sheet.add('hookline-events', [cost(3)]);
  expect(sheet.figures()).toEqual([{ name: 'hookline-events: processor time', unit: 'ms', values: [3] }]);
  expect(sheet.table()[1]).toEqual(['processor time', 'ms', '3']);
});

it('an aim that is a number is judged with or without a peer', () => {
  const sheet = createSheet();
  const lost = { name: 'lost', unit: 'events', better: 'less' as const, aim: { atMost: 0 }, value: 1 };
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
  expect(sheet.table()[1]).toEqual(['processor time', 'ms', '6 (4 to 8)', '3 (2 to 8), 0.5 of svix']);
  expect(sheet.figures()[0]?.ceiling).toEqual({ name: 'svix', values: [4, 8, 6] });
});
