import { reportOf } from '../../bench/peers/report.ts';
import { createSheet } from '../../bench/peers/sheet.ts';
import { createOutpost } from '../../bench/peers/systems/outpost.ts';
import { createSvix } from '../../bench/peers/systems/svix.ts';
import { treeReportOf } from '../../bench/peers/tree-report.ts';
import type { SystemName } from '../../bench/peers/systems/system.ts';

it('a peer whose program is not there says so, and what to name where', () => {
  expect(createOutpost(undefined).trouble()).toMatch(/^Outpost was not measured: .*OUTPOST_BINARIES$/);
  expect(createOutpost('/nowhere').trouble()).toMatch(/there is no outpost and no outpost-server in \/nowhere/);
  expect(createSvix(undefined).trouble()).toMatch(/^Svix was not measured: .*SVIX_SERVER_BINARY$/);
  expect(createSvix('/nowhere/svix-server').trouble()).toMatch(/there is no \/nowhere\/svix-server/);
});

describe('the report', () => {
  const comparison = {
    sheet: createSheet(),
    facts: [
      { versions: ['Outpost 1', 'Redis 7'], settings: 'as it comes', promises: { outpost: 'it is queued' } },
      {
        versions: ['Hookline 2'],
        settings: 'a process',
        promises: { 'hookline-webhooks': 'a', 'hookline-events': 'b' },
      },
    ],
    notMeasured: ['Svix was not measured: why'],
    lost: [],
    late: [],
    othersCores: 0.1,
  };
  const wanted = { systems: ['outpost', 'hookline-events'] satisfies SystemName[], turns: 1 };

  it('says what was not measured, the versions, and what each system that was asked for promises', () => {
    expect(reportOf(comparison, wanted).notes).toEqual([
      'Svix was not measured: why',
      'Outpost 1, Redis 7: as it comes',
      'Hookline 2: a process',
      'Before outpost answers 2xx: it is queued',
      'Before hookline-events answers 2xx: b',
      'Others took 0.10 of a core at most while something was measured',
      'figure  unit',
    ]);
  });

  it('takes what Hookline has lost for a failure of the run, and what a peer has lost for a finding', () => {
    const lost = [
      { system: 'outpost' as const, step: 'at' as const, count: 3 },
      { system: 'hookline-events' as const, step: 'closed' as const, count: 1 },
    ];
    const late = [{ system: 'hookline-events' as const, step: 'search' as const, count: 2 }];
    const { notes, unaccounted } = reportOf({ ...comparison, lost, late }, wanted);
    expect(notes).toContain('outpost, at: 3 acknowledged, and lost');
    expect(notes).toContain('hookline-events, search: 2 arrived after their run was over');
    expect(unaccounted).toEqual(['hookline-events, closed: 1 acknowledged, and lost']);
  });
});

it('two checkouts stand side by side, with the ratio of each turn', () => {
  const figure = {
    name: 'hookline-events: processor time at 100 a second',
    unit: 'ms an event',
    values: [9, 6, 12],
    ceiling: { name: 'before', values: [10, 10, 10] },
  };
  const facts = [
    { versions: ['Hookline 1'], settings: 'a process', promises: {} },
    { versions: ['Hookline 2'], settings: 'a process', promises: {} },
  ];
  const { notes, unaccounted } = treeReportOf(
    { figures: [figure], lost: ['hookline-events, at: 1 acknowledged, and lost'], othersCores: 0.25 },
    { facts, turns: 3 },
  );
  expect(notes.slice(0, 2)).toEqual(['before: Hookline 1', 'after: Hookline 2']);
  expect(notes.at(-1)?.split('\n').at(-1)).toMatch(/ms an event +10 +9 +0\.9 +0\.90 0\.60 1\.20$/);
  expect(unaccounted).toEqual(['hookline-events, at: 1 acknowledged, and lost']);
});
