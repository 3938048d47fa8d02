import { createConsumer, type RecordConsumer } from '#lib/kafka';
import { silentLogger } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { createClient } from '../../../libs/kafka/client.ts';
import { inTime } from '../../support/kafka-conformance/in-time.ts';
import { consumerOptions, runningParts } from '../../support/kafka-conformance/setup.ts';
import { seriesOf } from '../../support/series.ts';
import { serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';

// Checks a consumer whose group's next records are no longer in the log: it reports them, counts them, and continues.

const run = runningParts();
const prefix = uniquePrefix('lost-records');
const client = () => createClient({ brokers: serverAddresses().kafkaBrokers, clientId: 'test', log: silentLogger });
let admin: ReturnType<ReturnType<typeof createClient>['admin']>;
let producer: ReturnType<ReturnType<typeof createClient>['producer']>;

beforeAll(async () => {
  admin = client().admin();
  producer = client().producer();
  await Promise.all([admin.connect(), producer.connect()]);
});
afterAll(async () => {
  await Promise.all([admin.disconnect(), producer.disconnect()]);
});

async function createTopic(name: string): Promise<string> {
  const topic = `${prefix}${name}`;
  const configEntries = [{ name: 'retention.ms', value: '3600000' }];
  await waitUntil(
    'the topic is there',
    () => admin.createTopics({ topics: [{ topic, numPartitions: 1, configEntries }], waitForLeaders: true }),
    inTime,
  );
  return topic;
}

async function write(topic: string, from: number, to: number): Promise<void> {
  const messages = Array.from({ length: to - from }, (_, n) => ({ partition: 0, value: String(from + n) }));
  await waitUntil(
    'they are written',
    () =>
      producer.send({ topic, messages }).then(
        () => true,
        () => false,
      ),
    inTime,
  );
}

/** As retention does. */
const removeBefore = (topic: string, offset: number) =>
  waitUntil(
    'the records are removed',
    () =>
      admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: String(offset) }] }).then(
        () => true,
        () => false,
      ),
    inTime,
  );

interface Reading {
  consumer: RecordConsumer;
  metrics: Metrics;
  read: number[];
  begun(): boolean;
  lines: { level: string; event?: string }[];
  /** The value of a metric in the topic; undefined if it has no series there. */
  value(name: string, labels?: Readonly<Record<string, string>>): Promise<number | undefined>;
}

interface Handling {
  /** Default true. */
  isDone?: boolean;
  /** The first records wait for this. */
  until?: Promise<void>;
  maxQueuedRecords?: number;
  maxOutstanding?: number;
}

async function readFrom(topic: string, { isDone = true, until, ...limits }: Handling = {}): Promise<Reading> {
  let begun = false;
  const metrics = new Metrics();
  const read: number[] = [];
  const lines: Reading['lines'] = [];
  const logged = (level: string) => (line: { event?: string }) => {
    // A coordinator that has just started is no part of this.
    if (line.event !== 'consumer.crashed') lines.push({ level, ...line });
  };
  const consumer = await run(
    createConsumer(
      consumerOptions({
        brokers: serverAddresses().kafkaBrokers,
        groupId: `${topic}-group`,
        topics: [topic],
        metrics,
        lagIntervalMs: 500,
        log: { ...silentLogger, warn: logged('warn'), error: logged('error') },
        ...limits,
        handle: async (records) => {
          begun = true;
          await until;
          for (const record of records) {
            read.push(Number(record.value));
            if (isDone) record.done();
          }
        },
      }),
    ),
  );
  return {
    consumer,
    metrics,
    read,
    begun: () => begun,
    lines,
    async value(name, labels = {}) {
      const shown = Object.entries({ group: `${topic}-group`, topic, partition: '0', ...labels });
      return (await seriesOf(metrics, name))[shown.map(([label, value]) => `${label}="${value}"`).join()];
    },
  };
}

const isCommitted = (topic: string, offset: number) => async (): Promise<boolean> => {
  const [found] = await admin.fetchOffsets({ groupId: `${topic}-group`, topics: [topic] });
  return Number(found?.partitions[0]?.offset) === offset;
};

const hasRead = (reading: Reading, last: number) =>
  waitUntil(`${last} has been read`, () => reading.read.at(-1) === last, inTime);

const lost = 'hookline_lost_records_total';
const resets = 'hookline_consumer_offset_resets_total';
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n);

test('records that are removed while their consumer is stopped are counted and logged, and it goes on behind them', async () => {
  const topic = await createTopic('stopped');
  await write(topic, 0, 10);
  const first = await readFrom(topic);
  await hasRead(first, 9);
  await waitUntil('10 is committed', isCommitted(topic, 10), inTime);
  await first.consumer.stop();
  expect(first.lines).toEqual([]);
  expect(await first.value(lost)).toBe(0);

  await write(topic, 10, 100);
  await removeBefore(topic, 57);
  const second = await readFrom(topic);
  await hasRead(second, 99);
  expect(second.read).toEqual(numbers(57, 100));
  expect(await second.value(lost)).toBe(47);
  expect(second.lines).toEqual([
    {
      level: 'error',
      event: 'consumer.records_lost',
      group: `${topic}-group`,
      topic,
      partition: 0,
      fromOffset: '10',
      toOffset: '57',
      records: 47,
    },
  ]);
  await waitUntil('100 is committed', isCommitted(topic, 100), inTime);
  await second.consumer.stop();

  const third = await readFrom(topic);
  await write(topic, 100, 101);
  await hasRead(third, 100);
  expect([third.lines, await third.value(lost)]).toEqual([[], 0]);
});

test('records that are removed while a consumer stands still are counted when it reads on', async () => {
  const topic = await createTopic('behind');
  await write(topic, 0, 100);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const reading = await readFrom(topic, { maxQueuedRecords: 20, maxOutstanding: 10, until: released });
  await waitUntil('it is at work', () => reading.begun(), inTime);
  await write(topic, 100, 200);
  await removeBefore(topic, 170);
  release();
  await hasRead(reading, 199);
  expect(reading.read).toEqual([...numbers(0, 100), ...numbers(170, 200)]);
  expect(await reading.value(lost)).toBe(70);
  expect(reading.lines).toMatchObject([
    { level: 'error', event: 'consumer.records_lost', fromOffset: '100', toOffset: '170', records: 70 },
  ]);
  await waitUntil('200 is committed', isCommitted(topic, 200), inTime);
});

test('a topic that is made anew while its consumer runs is read from its first record', async () => {
  const topic = await createTopic('anew');
  await write(topic, 0, 20);
  const reading = await readFrom(topic);
  await hasRead(reading, 19);
  await waitUntil('20 is committed', isCommitted(topic, 20), inTime);

  await admin.deleteTopics({ topics: [topic] });
  await createTopic('anew');
  await write(topic, 100, 105);
  await hasRead(reading, 104);
  expect(reading.read.slice(20)).toEqual(numbers(100, 105));
  await waitUntil('5 is committed', isCommitted(topic, 5), inTime);
});

test('a group whose offset lies beyond the end of the log begins at its first record, and says so', async () => {
  const topic = await createTopic('beyond');
  await write(topic, 0, 5);
  await admin.setOffsets({ groupId: `${topic}-group`, topic, partitions: [{ partition: 0, offset: '50' }] });
  const reading = await readFrom(topic);
  await hasRead(reading, 4);
  expect(reading.read).toEqual(numbers(0, 5));
  expect(await reading.value(resets, { reason: 'beyond_end' })).toBe(1);
  expect(reading.lines).toMatchObject([
    { level: 'error', event: 'consumer.offset_beyond_end', committedOffset: '50', endOffset: '5', startOffset: '0' },
  ]);
  await waitUntil('5 is committed', isCommitted(topic, 5), inTime);
});

test('a group without an offset says so where the log has lost records, and only there', async () => {
  const topic = await createTopic('expired');
  await write(topic, 0, 10);
  await removeBefore(topic, 4);
  const reading = await readFrom(topic);
  await hasRead(reading, 9);
  expect(reading.read).toEqual(numbers(4, 10));
  expect(await reading.value(resets, { reason: 'no_offset' })).toBe(1);
  expect(reading.lines).toMatchObject([{ level: 'error', event: 'consumer.offset_missing', startOffset: '4' }]);

  const fresh = await createTopic('fresh');
  await write(fresh, 0, 3);
  const untouched = await readFrom(fresh);
  await hasRead(untouched, 2);
  expect(untouched.lines).toEqual([]);
});

test('a group that has read nothing yet has where it began: what is removed after that is counted', async () => {
  const topic = await createTopic('unread');
  const held = await readFrom(topic, { isDone: false });
  await write(topic, 0, 6);
  await hasRead(held, 5);
  await waitUntil('its beginning is committed', isCommitted(topic, 0), inTime);
  await held.consumer.stop();
  await removeBefore(topic, 6);
  await write(topic, 6, 7);
  const reading = await readFrom(topic);
  await hasRead(reading, 6);
  expect(await reading.value(lost)).toBe(6);
});

test('how long a topic keeps its records is shown beside the lag', async () => {
  const topic = await createTopic('retention');
  await write(topic, 0, 1);
  const reading = await readFrom(topic);
  await waitUntil(
    'it is shown',
    async () => Object.values(await seriesOf(reading.metrics, 'hookline_topic_retention_seconds')).length > 0,
    inTime,
  );
  expect(await seriesOf(reading.metrics, 'hookline_topic_retention_seconds')).toEqual({
    [`topic="${topic}"`]: 3_600,
  });
});
