import fc from 'fast-check';
import { AppError } from '#lib/runtime';
import { createAccumulator } from '../../../libs/kafka/producing/accumulator.ts';
import { sentRecord, valuesOf } from './fixtures.ts';

const limits = { maxRecords: 3, maxBytes: 1_000 };

test('a batch is cut by records', () => {
  const accumulator = createAccumulator(limits);
  for (const value of ['a', 'b', 'c', 'd']) accumulator.add(sentRecord(value).pending);
  expect(accumulator.holdsFullBatch()).toBe(true);
  expect(valuesOf(accumulator.cut())).toEqual(['a', 'b', 'c']);
  expect(accumulator.holdsFullBatch()).toBe(false);
  expect(valuesOf(accumulator.cut())).toEqual(['d']);
  expect(accumulator.cut()).toEqual([]);
});

test('a batch is cut by bytes, and a record beyond the limit goes alone', () => {
  const accumulator = createAccumulator(limits);
  const large = Buffer.alloc(2_000, 'L');
  for (const value of ['a', large, 'b', 'c']) accumulator.add(sentRecord(value).pending);
  expect(accumulator.cut().map(({ value }) => value.length)).toEqual([1]);
  expect(accumulator.cut().map(({ value }) => value.length)).toEqual([2_000]);
  expect(accumulator.cut().map(({ value }) => value.length)).toEqual([1, 1]);
});

test('a batch that came back goes out again before all else, as it was', () => {
  const accumulator = createAccumulator(limits);
  for (const value of ['a', 'b', 'c', 'd']) accumulator.add(sentRecord(value).pending);
  const batch = accumulator.cut();
  accumulator.putBack(batch);
  expect(accumulator.size()).toBe(4);
  expect(valuesOf(accumulator.cut())).toEqual(['a', 'b', 'c']);
  expect(valuesOf(accumulator.cut())).toEqual(['d']);
});

test('a batch is halved until each record stands alone, in order', () => {
  const accumulator = createAccumulator({ maxRecords: 8, maxBytes: 10_000 });
  for (const value of '01234567') accumulator.add(sentRecord(value).pending);
  const alone: string[] = [];
  for (let batch = accumulator.cut(); batch.length > 0; batch = accumulator.cut()) {
    if (batch.length > 1) accumulator.putBackSplit(batch);
    else alone.push(...valuesOf(batch));
  }
  expect(alone.join('')).toBe('01234567');
});

test('what has ended by itself is not sent again', () => {
  const accumulator = createAccumulator(limits);
  const records = ['a', 'b', 'c'].map((value) => sentRecord(value).pending);
  records.forEach(accumulator.add);
  accumulator.putBack(accumulator.cut());
  records[1]?.acknowledge({ topic: 't', partition: 0, offset: 0n });
  expect(valuesOf(accumulator.cut())).toEqual(['a', 'c']);
});

test('the expired are those whose time is up, waiting or come back, in whatever order they came', () => {
  const accumulator = createAccumulator(limits);
  const records = [3, 1, 5, 2, 6, 4].map((expiresAtMs) => sentRecord(String(expiresAtMs), { expiresAtMs }).pending);
  records.forEach(accumulator.add);
  accumulator.putBack(accumulator.cut());
  expect(valuesOf(accumulator.takeExpired(2))).toEqual(['1', '2']);
  // A record that came back is in a batch still, and its batch's taker ends it.
  expect(valuesOf(accumulator.takeExpired(4))).toEqual(['3', '1', '4']);
  expect(accumulator.size()).toBe(4);
  expect(valuesOf(accumulator.cut())).toEqual(['3', '1', '5']);
  expect(valuesOf(accumulator.cut())).toEqual(['6']);
});

test('what comes back after a look expires like what has waited, whole or in halves', () => {
  for (const comeBack of ['putBack', 'putBackSplit'] as const) {
    const accumulator = createAccumulator(limits);
    const records = [7, 8, 20].map((expiresAtMs) => sentRecord(String(expiresAtMs), { expiresAtMs }).pending);
    records.forEach(accumulator.add);
    const batch = accumulator.cut();
    expect(accumulator.takeExpired(7)).toEqual([]);
    accumulator[comeBack](batch);
    expect(valuesOf(accumulator.takeExpired(6))).toEqual([]);
    expect(valuesOf(accumulator.takeExpired(7))).toEqual(['7']);
    records[0]?.fail(new AppError('kafka_unavailable', 'not in its time'));
    expect(valuesOf(accumulator.takeExpired(8))).toEqual(['8']);
  }
});

test('records leave in the order in which they came, whatever comes back or is halved', () => {
  const steps = fc.array(fc.constantFrom('add', 'sent', 'back', 'split'), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (actions) => {
      const accumulator = createAccumulator(limits);
      const left: number[] = [];
      let added = 0;
      const leave = (): number => left.push(...accumulator.cut().map(({ value }) => Number(String(value))));
      for (const action of actions) {
        if (action === 'add') accumulator.add(sentRecord(String(added++)).pending);
        else if (action === 'sent') leave();
        else if (action === 'back') accumulator.putBack(accumulator.cut());
        else accumulator.putBackSplit(accumulator.cut());
      }
      while (accumulator.size() > 0) leave();
      expect(left).toEqual(Array.from({ length: added }, (_, i) => i));
    }),
  );
});
