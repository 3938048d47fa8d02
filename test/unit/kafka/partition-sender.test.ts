import { AppError, createManualClock } from '#lib/runtime';
import { createPartitionSender, type PartitionSenderOptions } from '../../../libs/kafka/producing/partition-sender.ts';
import type { ProduceOutcome } from '../../../libs/kafka/producing/produce-answer.ts';
import type { Sendable } from '../../../libs/kafka/producing/produce-lane.ts';
import { sentRecord, settle, valuesOf } from './fixtures.ts';

const written = (baseOffset: bigint): ProduceOutcome => ({ kind: 'written', baseOffset });
const unknown: ProduceOutcome = {
  kind: 'unknown',
  error: new Error('no answer'),
  connectionSuspect: false,
  lags: false,
};
const refused: ProduceOutcome = { kind: 'refused', error: new Error('too large') };

function setUp({ lingerMs = 2, ...options }: Partial<PartitionSenderOptions> & { lingerMs?: number } = {}) {
  const clock = createManualClock();
  const requests: { values: string[]; answer: (outcome: ProduceOutcome) => Promise<void> }[] = [];
  let failures = 0;
  const askedAlone: boolean[] = [];
  /** A lane that sends as soon as something is due, and answers on demand. */
  async function sendWhenDue(sendable: Sendable): Promise<void> {
    expect([sendable.topic, sendable.partition]).toEqual(['t', 5]);
    let restMs = sendable.dueAtMs() - clock.monotonicMs();
    if (restMs > 0) {
      hurried = new AbortController();
      await clock.sleep(restMs, hurried.signal);
      restMs = sendable.dueAtMs() - clock.monotonicMs();
      expect(restMs).toBeLessThanOrEqual(0);
    }
    const startedAtMs = clock.monotonicMs();
    const values = valuesOf(sendable.cut());
    if (values.length === 0) return;
    requests.push({
      values,
      async answer(outcome) {
        sendable.settle(outcome, clock.monotonicMs() - startedAtMs);
        await settle();
      },
    });
  }
  let hurried: AbortController | undefined;
  const sender = createPartitionSender({
    topic: 't',
    partition: 5,
    limits: { maxRecords: 3, maxBytes: 10_000 },
    isFlushing: () => false,
    clock,
    random: () => 0.5,
    lane(isAlone) {
      askedAlone.push(isAlone);
      return { add: (sendable) => void sendWhenDue(sendable), hurry: () => hurried?.abort() };
    },
    onBatchCut: () => undefined,
    onFailure: () => (failures += 1),
    closed: new AbortController().signal,
    ...options,
  });
  const send = (value: string, ownLingerMs = lingerMs) => {
    const sentAtMs = clock.monotonicMs();
    const record = sentRecord(value, { sentAtMs, dueAtMs: sentAtMs + ownLingerMs });
    sender.add(record.pending);
    return record;
  };
  return { clock, sender, send, requests, askedAlone, failures: () => failures };
}

test('records are collected for the linger of the first, then sent in one request', async () => {
  const { clock, send, requests } = setUp();
  const first = send('a');
  await clock.advance(1);
  const second = send('b');
  await settle();
  expect(requests).toEqual([]);
  await clock.advance(1);
  expect(requests.map(({ values }) => values)).toEqual([['a', 'b']]);
  await requests[0]?.answer(written(40n));
  expect([first.end(), second.end()]).toEqual([
    { topic: 't', partition: 5, offset: 40n },
    { topic: 't', partition: 5, offset: 41n },
  ]);
});

test('one that waits for less is sent in its own time, and takes along those that would wait for longer', async () => {
  const { clock, send, requests } = setUp();
  send('patient', 25);
  await clock.advance(10);
  send('other', 25);
  send('urgent', 0);
  await settle();
  expect(requests.map(({ values }) => values)).toEqual([['patient', 'other', 'urgent']]);
  await requests[0]?.answer(written(0n));
  send('patient', 25);
  await clock.advance(24);
  expect(requests).toHaveLength(1);
  await clock.advance(1);
  expect(requests[1]?.values).toEqual(['patient']);
});

test('a producer that stops waits for no others', async () => {
  const state = { isFlushing: false };
  const { sender, send, requests } = setUp({ lingerMs: 60_000, isFlushing: () => state.isFlushing });
  send('a');
  await settle();
  state.isFlushing = true;
  sender.hurry();
  await settle();
  expect(requests.map(({ values }) => values)).toEqual([['a']]);
});

test('a full batch waits for nothing', async () => {
  const { send, requests } = setUp({ lingerMs: 60_000 });
  ['a', 'b', 'c', 'd'].forEach((value) => send(value));
  await settle();
  expect(requests.map(({ values }) => values)).toEqual([['a', 'b', 'c']]);
});

test('the next batch goes out after the one before has ended, its retries included', async () => {
  const { clock, send, requests } = setUp();
  ['a', 'b', 'c', 'd'].forEach((value) => send(value));
  await settle();
  await requests[0]?.answer(unknown);
  await clock.advance(100);
  await requests[1]?.answer(unknown);
  await clock.advance(200);
  expect(requests.map(({ values }) => values.join(''))).toEqual(['abc', 'abc', 'abc']);
  await requests[2]?.answer(written(0n));
  expect(requests.map(({ values }) => values.join(''))).toEqual(['abc', 'abc', 'abc', 'd']);
});

test('records that come while a batch is in flight wait for its end', async () => {
  const { clock, send, requests } = setUp();
  send('a');
  await clock.advance(2);
  ['b', 'c', 'd'].forEach((value) => send(value));
  await clock.advance(100);
  expect(requests.map(({ values }) => values.join(''))).toEqual(['a']);
  await requests[0]?.answer(written(0n));
  expect(requests.map(({ values }) => values.join(''))).toEqual(['a', 'bcd']);
});

test('what is not known to be written is tried again after a growing pause, and leaders are asked about', async () => {
  const { clock, send, requests, failures } = setUp();
  const record = send('a');
  await clock.advance(2);
  const pauses: number[] = [];
  for (let attempt = 0; attempt < 8; attempt += 1) {
    await requests[attempt]?.answer(unknown);
    let pause = 0;
    while (requests.length === attempt + 1) {
      pause += 5;
      await clock.advance(5);
    }
    pauses.push(pause);
  }
  expect(pauses).toEqual([40, 75, 150, 300, 600, 750, 750, 750]);
  expect(failures()).toBe(8);
  await requests[8]?.answer(written(7n));
  expect(record.end()).toMatchObject({ offset: 7n });
});

test('of a refused batch the culprit alone fails', async () => {
  const { send, requests } = setUp({ lingerMs: 0, limits: { maxRecords: 8, maxBytes: 10_000 } });
  const records = [...'abcdefgh'].map((value) => send(value));
  await settle();
  for (let i = 0; i < requests.length; i += 1) {
    const { values, answer } = requests[i] as (typeof requests)[number];
    await answer(values.includes('f') ? refused : written(BigInt(100 * i)));
  }
  expect(records.map((record) => (typeof record.end() === 'string' ? record.end() : 'written'))).toEqual(
    [...'abcdefgh'].map((value) => (value === 'f' ? 'data_invalid' : 'written')),
  );
  expect(requests.filter(({ values }) => !values.includes('f')).flatMap(({ values }) => values)).toEqual([
    ...'abcdegh',
  ]);
});

test('a record that expires in flight fails at once, its late acknowledgment is ignored, and it is not sent again', async () => {
  const { clock, sender, send, requests } = setUp();
  const early = send('early');
  await clock.advance(1);
  const late = send('late');
  await clock.advance(1);
  sender.expire(early.pending.expiresAtMs, () => new AppError('kafka_unavailable', 'too late'));
  await settle();
  expect([early.end(), late.end()]).toEqual(['kafka_unavailable', undefined]);
  await requests[0]?.answer(unknown);
  await clock.advance(100);
  expect(requests[1]?.values).toEqual(['late']);
  await requests[1]?.answer(written(3n));
  expect([early.end(), late.end()]).toMatchObject(['kafka_unavailable', { offset: 3n }]);
});

test('a partition is avoided for a while after a failure', async () => {
  const { clock, sender, send, requests } = setUp();
  send('a');
  await clock.advance(2);
  expect(sender.failing()).toBe(false);
  await requests[0]?.answer(unknown);
  expect(sender.failing()).toBe(true);
  await clock.advance(6_000);
  expect(sender.failing()).toBe(false);
});

test('a partition whose followers lag goes by itself until they keep up, or somebody else leads it', async () => {
  const { clock, sender, send, requests, askedAlone } = setUp({ lingerMs: 0 });
  const lags: ProduceOutcome = { ...unknown, lags: true };
  send('a');
  await settle();
  await requests[0]?.answer(lags);
  expect(sender.isAlone()).toBe(true);
  await clock.advance(100);
  // Written, but so late that it would have held up the others again.
  await clock.advance(2_000);
  await requests[1]?.answer(written(0n));
  expect([sender.isAlone(), askedAlone]).toEqual([true, [false, true]]);
  send('b');
  await settle();
  await requests[2]?.answer(written(1n));
  expect(sender.isAlone()).toBe(false);
  send('c');
  await settle();
  await requests[3]?.answer(lags);
  sender.leaderChanged();
  await clock.advance(100);
  expect(askedAlone).toEqual([false, true, true, false, false]);
});

test('it says before when nothing of it expires', async () => {
  const { clock, sender, send } = setUp();
  const { pending } = send('a');
  const late = (): AppError => new AppError('kafka_unavailable', 'late');
  expect(sender.expire(clock.monotonicMs(), late)).toBe(pending.expiresAtMs);
  await clock.advance(2);
  expect(sender.expire(clock.monotonicMs(), late)).toBe(pending.expiresAtMs);
  expect(sender.expire(pending.expiresAtMs, late)).toBe(Infinity);
});
