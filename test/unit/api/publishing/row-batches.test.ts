import { AppError, createManualClock, silentLogger } from '#lib/runtime';
import { createRowBatches } from '../../../../services/api/outbox/row-batches.ts';

function open() {
  const clock = createManualClock();
  const written: string[][] = [];
  let failures = 0;
  const batches = createRowBatches<string>({
    name: 'removal',
    async write(rows) {
      if (failures > 0) {
        failures -= 1;
        throw new AppError('store_unavailable', 'away');
      }
      written.push([...rows]);
    },
    lingerMs: 150,
    maxRows: 3,
    keptForMs: 2_500,
    clock,
    log: silentLogger,
  });
  return { clock, batches, written, fail: (times: number) => void (failures = times) };
}

test('rows that come within the linger are written together', async () => {
  const { clock, batches, written } = open();
  batches.add('a', false);
  await clock.advance(149);
  batches.add('b', false);
  expect(written).toEqual([]);
  await clock.advance(1);
  expect(written).toEqual([['a', 'b']]);
  batches.add('c', false);
  await clock.advance(150);
  expect(written).toEqual([['a', 'b'], ['c']]);
});

test('a row that something waits for goes at once, with those that are here; so does a full batch', async () => {
  const { clock, batches, written } = open();
  batches.add('a', false);
  batches.add('b', true);
  await clock.advance(0);
  expect(written).toEqual([['a', 'b']]);
  for (const row of ['c', 'd', 'e', 'f']) batches.add(row, false);
  await clock.advance(0);
  expect(written).toEqual([
    ['a', 'b'],
    ['c', 'd', 'e'],
  ]);
  await clock.advance(150);
  expect(written.at(-1)).toEqual(['f']);
});

test('rows that could not be written are tried again, for their time', async () => {
  const { clock, batches, written, fail } = open();
  fail(1);
  batches.add('a', true);
  await clock.advance(1_000);
  await clock.advance(150);
  expect(written).toEqual([['a']]);
  fail(10);
  batches.add('b', true);
  for (let n = 0; n < 5; n += 1) await clock.advance(1_150);
  fail(0);
  batches.add('c', true);
  await clock.advance(2_000);
  expect(written).toEqual([['a'], ['c']]);
});

test('a close writes what is here, and gives up what fails once more', async () => {
  const { batches, written, fail } = open();
  for (const row of ['a', 'b', 'c', 'd']) batches.add(row, false);
  await batches.close();
  expect(written).toEqual([['a', 'b', 'c'], ['d']]);
  fail(1);
  batches.add('e', false);
  await batches.close();
  expect(written).toHaveLength(2);
});
