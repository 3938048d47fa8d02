import { reportOf } from '../../bench/peers/report.ts';
import { createSheet } from '../../bench/peers/sheet.ts';
import { createOutpost } from '../../bench/peers/systems/outpost.ts';
import { createSvix } from '../../bench/peers/systems/svix.ts';

const wanted = { systems: [], steps: [], turns: 1, isRecorded: false, again: '' };

it('a peer whose program is not there says so, and what to name where', () => {
  expect(createOutpost(undefined).trouble()).toMatch(/^Outpost was not measured: .*OUTPOST_BINARIES$/);
  expect(createOutpost('/nowhere').trouble()).toMatch(/there is no outpost and no outpost-server in \/nowhere/);
  expect(createSvix(undefined).trouble()).toMatch(/^Svix was not measured: .*SVIX_SERVER_BINARY$/);
  expect(createSvix('/nowhere/svix-server').trouble()).toMatch(/there is no \/nowhere\/svix-server/);
});

it('what was not measured, the versions and what each promises stand beside the figures', () => {
  const report = reportOf(
    {
      sheet: createSheet(),
      facts: [{ versions: ['Outpost 1', 'Redis 7'], settings: 'as it comes', promises: { outpost: 'it is queued' } }],
      ...{
        notMeasured: ['Svix was not measured: why'],
        lost: ['hookline-events, at: 3 lost or late'],
        othersCores: 0.1,
      },
    },
    wanted,
  );
  expect(report.notes).toEqual([
    'Svix was not measured: why',
    'Outpost 1, Redis 7: as it comes',
    'Before outpost answers 2xx: it is queued',
    'Others took 0.10 of a core at most while something was measured',
    'figure  unit',
  ]);
  expect(report.unaccounted).toEqual(['hookline-events, at: 3 lost or late']);
});
