import { createManualClock, silentLogger } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { monitorLag } from '../../../libs/kafka/consuming/positions/lag-monitor.ts';
import { measureConsumer } from '../../../libs/kafka/metrics.ts';
import { seriesOf } from '../../support/series.ts';

const intervalMs = 5_000;
const topic = 'events';
const of = 'group="projector",topic="events",partition="0"';

/** One partition, as the brokers and its consumer see it; the lag is measured once an interval. */
function monitored() {
  const clock = createManualClock();
  const metrics = new Metrics();
  const stopping = new AbortController();
  const seen = {
    committed: undefined as bigint | undefined,
    end: { low: 0n, high: 0n },
    openSinceMs: undefined as number | undefined,
    isAssigned: true,
    retentionMs: undefined as number | undefined | 'refused',
  };
  void monitorLag(
    {
      offsets: {
        committed: async () => new Map(seen.committed === undefined ? [] : [[0, seen.committed]]),
        ends: async () => new Map([[0, seen.end]]),
        retentionMs: async () => {
          if (seen.retentionMs === 'refused') throw new Error('not authorized');
          return seen.retentionMs;
        },
      },
      assigned: () => (seen.isAssigned ? [{ topic, partition: 0, oldestOpenAtMs: () => seen.openSinceMs }] : []),
      meter: measureConsumer(metrics, 'projector'),
      clock,
      log: silentLogger,
      intervalMs,
    },
    stopping.signal,
  );
  return {
    clock,
    seen,
    retention: () => seriesOf(metrics, 'hookline_topic_retention_seconds'),
    async after(intervals: number): Promise<{ records: number | undefined; seconds: number | undefined }> {
      for (let n = 0; n < intervals; n += 1) await clock.advance(intervalMs);
      const value = async (name: string) => (await seriesOf(metrics, `hookline_consumer_lag_${name}`))[of];
      return { records: await value('records'), seconds: await value('seconds') };
    },
  };
}

test('what is not read waits for as long as it has been seen to', async () => {
  const { seen, after } = monitored();
  Object.assign(seen, { committed: 7n, end: { low: 0n, high: 10n } });
  expect(await after(1)).toEqual({ records: 3, seconds: 0 });
  seen.end.high = 12n;
  expect(await after(12)).toEqual({ records: 5, seconds: 60 });
});

test('it begins anew with each record that is the oldest, and ends with the last', async () => {
  const { seen, after } = monitored();
  Object.assign(seen, { committed: 7n, end: { low: 0n, high: 10n } });
  expect(await after(3)).toEqual({ records: 3, seconds: 10 });
  seen.committed = 8n;
  expect(await after(1)).toEqual({ records: 2, seconds: 0 });
  expect(await after(1)).toEqual({ records: 2, seconds: 5 });
  seen.committed = 10n;
  expect(await after(1)).toEqual({ records: 0, seconds: 0 });
  seen.end.high = 11n;
  expect(await after(1)).toEqual({ records: 1, seconds: 0 });
});

test('without a committed offset the oldest is the first that there is', async () => {
  const { seen, after } = monitored();
  seen.end = { low: 4n, high: 6n };
  expect(await after(3)).toEqual({ records: 2, seconds: 10 });
});

test('what was deleted before it was read is nothing to do any more', async () => {
  const { seen, after } = monitored();
  Object.assign(seen, { committed: 2n, end: { low: 6n, high: 6n } });
  expect(await after(3)).toEqual({ records: 0, seconds: 0 });
});

test('what has been read waits since it was written', async () => {
  const { seen, clock, after } = monitored();
  Object.assign(seen, { committed: 7n, end: { low: 0n, high: 8n }, openSinceMs: clock.nowMs() - 30_000 });
  expect(await after(2)).toEqual({ records: 1, seconds: 40 });
  // Read, though it was written by a clock that is ahead.
  seen.openSinceMs = clock.nowMs() + 3_600_000;
  expect(await after(1)).toEqual({ records: 1, seconds: 10 });
});

test('a partition that was lost and comes again begins anew', async () => {
  const { seen, after } = monitored();
  Object.assign(seen, { committed: 7n, end: { low: 0n, high: 10n } });
  await after(10);
  seen.isAssigned = false;
  expect(await after(1)).toEqual({ records: undefined, seconds: undefined });
  seen.isAssigned = true;
  expect(await after(2)).toEqual({ records: 3, seconds: 5 });
});

test('how long the topic keeps its records is asked for once a minute, and where nobody may ask the lag is measured all the same', async () => {
  const { seen, after, retention } = monitored();
  Object.assign(seen, { committed: 7n, end: { low: 0n, high: 10n }, retentionMs: 'refused' });
  expect(await after(1)).toEqual({ records: 3, seconds: 0 });
  expect(await retention()).toEqual({});
  seen.retentionMs = 3_600_000;
  await after(12);
  expect(await retention()).toEqual({ 'topic="events"': 3_600 });
  seen.retentionMs = undefined;
  await after(11);
  expect(await retention()).toEqual({ 'topic="events"': 3_600 });
  await after(1);
  expect(await retention()).toEqual({});
});

test('of a topic that is read by another now, nothing is shown any more', async () => {
  const { seen, after, retention } = monitored();
  Object.assign(seen, { committed: 7n, end: { low: 0n, high: 10n }, retentionMs: 1_000 });
  await after(1);
  expect(await retention()).toEqual({ 'topic="events"': 1 });
  seen.isAssigned = false;
  await after(1);
  expect(await retention()).toEqual({});
});
