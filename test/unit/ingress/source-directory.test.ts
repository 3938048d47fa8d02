import { AppError, createManualClock, type ManualClock, silentLogger } from '#lib/runtime';
import type { SourceRow } from '../../../services/ingress/sources/source.ts';
import { createSourceDirectory } from '../../../services/ingress/sources/source-directory.ts';
import { fakeFollowedTable } from '../../support/fake-followed-table.ts';
import { newSourceId, secretBox, sourceRow } from './harness.ts';

type Behaviour = 'answers' | 'fails' | 'hangs';

/** A table whose readings a test counts, and whose behaviour it sets. */
function createTable(rows: SourceRow[] = []) {
  let behaviour: Behaviour = 'answers';
  const readings: number[] = [];
  const clock = createManualClock();
  const errors: { event: string }[] = [];
  const postgres = fakeFollowedTable(rows, async () => {
    readings.push(clock.monotonicMs());
    if (behaviour === 'fails') throw new AppError('store_unavailable', 'as the test wants it');
    if (behaviour === 'hangs') await clock.sleep(2_000);
    if (behaviour === 'hangs') throw new AppError('store_unavailable', 'given up by its own time limit');
  });
  const log = { ...silentLogger, error: (line: { event: string }) => void errors.push(line) };
  const directory = createSourceDirectory({ followPostgres: postgres, postgres, secretBox, clock, log });
  return { directory, clock, rows, readings, errors, behave: (wanted: Behaviour) => (behaviour = wanted) };
}

async function asWebhook({ directory, clock }: ReturnType<typeof createTable>): Promise<void> {
  await clock.advance(1_501);
  await directory.recent();
}

async function stop(directory: { stop(): Promise<void> }, clock: ManualClock): Promise<void> {
  const stopped = directory.stop();
  // A reading that hangs, and one that waits behind it, run into their time limits.
  await clock.advance(5_000);
  await stopped;
}

test('a source that is made, changed or deleted is so for the next webhook after 1.5 seconds', async () => {
  const world = createTable();
  const { directory, clock, rows } = world;
  await directory.start();
  const row = sourceRow({ settings: { response_status: 200 } });
  rows.push(row);
  await asWebhook(world);
  expect(directory.known(row.id)).toMatchObject({ state: 'active', tenant: 'acme', responseStatus: 200 });
  rows[0] = { ...row, settings: { response_status: 204 }, changed_at: '2026-01-02T00:00:00.000000Z' };
  await asWebhook(world);
  expect(directory.known(row.id)).toMatchObject({ responseStatus: 204 });
  rows[0] = { ...row, deleted_at: '2026-01-03T00:00:00.000000Z', changed_at: '2026-01-03T00:00:00.000000Z' };
  await asWebhook(world);
  expect(directory.known(row.id)).toMatchObject({ state: 'deleted' });
  await stop(directory, clock);
});

test('a source made a moment ago is found by looking it up', async () => {
  const { directory, clock, rows } = createTable();
  await directory.start();
  const row = sourceRow({});
  rows.push(row);
  expect(directory.known(row.id)).toBeUndefined();
  expect(await directory.lookUp(row.id)).toMatchObject({ state: 'active', id: row.id });
  const another = directory.lookUp(newSourceId());
  await clock.advance(250);
  expect(await another).toBe('unknown');
  await stop(directory, clock);
});

test('a flood of unknown ids is a few readings: of the wrong form none, at one time one, and in a second no more than four', async () => {
  const { directory, clock, readings } = createTable();
  await directory.start();
  readings.length = 0;
  for (const id of [
    '',
    'x',
    'src_',
    `${newSourceId()}0`,
    newSourceId().toUpperCase(),
    'evt_00000000000000000000000000',
  ])
    expect(await directory.lookUp(id)).toBe('unknown');
  expect(readings).toHaveLength(0);

  const answers: Promise<unknown>[] = [];
  for (let step = 0; step < 100; step += 1) {
    for (let index = 0; index < 5; index += 1) answers.push(directory.lookUp(newSourceId()));
    await clock.advance(10);
  }
  await clock.advance(500);
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['unknown']));
  expect(readings.length).toBeGreaterThanOrEqual(4);
  expect(readings.length).toBeLessThanOrEqual(7);
  await stop(directory, clock);
});

test('whoever asks gets a reading that begins after it asked', async () => {
  const { directory, clock, rows } = createTable();
  await directory.start();
  await directory.lookUp(newSourceId());
  const early = directory.lookUp(newSourceId());
  await clock.advance(100);
  const row = sourceRow({});
  rows.push(row);
  const late = directory.lookUp(row.id);
  await clock.advance(150);
  expect(await early).toBe('unknown');
  expect(await late).toMatchObject({ state: 'active' });
  await stop(directory, clock);
});

test.each(['fails', 'hangs'] as const)(
  'while Postgres %s the known are known, and of the others it can’t be told',
  async (behaviour) => {
    const row = sourceRow({});
    const { directory, clock, behave } = createTable([row]);
    await directory.start();
    behave(behaviour);
    const answer = directory.lookUp(newSourceId());
    await clock.advance(1_500);
    expect(await answer).toBe('unavailable');
    expect(directory.known(row.id)).toMatchObject({ state: 'active' });
    await clock.advance(60_000);
    expect(directory.known(row.id)).toMatchObject({ state: 'active' });
    await stop(directory, clock);
  },
);

test('only so many wait for a reading: beyond, it can’t be told', async () => {
  const { directory, clock, behave } = createTable();
  await directory.start();
  behave('hangs');
  const waiting = Array.from({ length: 1_000 }, () => directory.lookUp(newSourceId()));
  expect(await directory.lookUp(newSourceId())).toBe('unavailable');
  await clock.advance(1_500);
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['unavailable']));
  await stop(directory, clock);
});

test('a row that can’t be used harms no other, is told once, and is used once it is repaired', async () => {
  const good = sourceRow({});
  const bad = sourceRow({ stored: [] });
  const world = createTable([bad, good]);
  const { directory, clock, rows, errors } = world;
  await directory.start();
  expect(directory.known(good.id)).toMatchObject({ state: 'active' });
  expect(directory.known(bad.id)).toMatchObject({ state: 'unusable' });
  await asWebhook(world);
  expect(errors).toEqual([
    { event: 'source.unusable', sourceId: bad.id, tenant: 'acme', problem: 'secrets: not a list of at least one' },
  ]);
  rows[0] = { ...sourceRow({ id: bad.id }), changed_at: '2026-01-02T00:00:00.000000Z' };
  await asWebhook(world);
  expect(directory.known(bad.id)).toMatchObject({ state: 'active' });
  await stop(directory, clock);
});
