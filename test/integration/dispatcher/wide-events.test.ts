/** Events for very many endpoints, and records that Kafka refuses: neither may hold up what stands behind them. */
import { readSchema } from '#lib/contract';
import { randomUUID } from 'node:crypto';
import { createMatchTurns } from '#lib/event-filter';
import { createAttemptCodec, createConsumer, createEventCodec, createProducer } from '#lib/kafka';
import { createId, createWaitOut, noCrashPoints, silentLogger, systemClock } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { createEndRefused } from '../../../services/dispatcher/fan-out/end-refused.ts';
import type { Endpoint } from '../../../services/dispatcher/model/endpoint.ts';
import { createFanOut } from '../../../services/dispatcher/fan-out/fan-out.ts';
import { createMatchEndpoints } from '#lib/fan-out';
import { createOffer, createPublish } from '../../../services/dispatcher/publishing/publish.ts';
import { createSetAside } from '../../../services/dispatcher/fan-out/set-aside.ts';
import { createWriteSet } from '../../../services/dispatcher/fan-out/write-set.ts';
import { serverAddresses } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { anEndpoint, createBurying, noMetrics } from '../../unit/dispatcher/fixtures.ts';
import { createWorld, type World } from './world.ts';
import { nothingErased } from '../../support/nothing-erased.ts';
import { noneUndecodable } from '../../support/none-undecodable.ts';

interface EventRow {
  status: string;
  pending: number;
  retrying: number;
  delivered: number;
  dead_lettered: number;
}

let world: World;
afterEach(async () => {
  await world?.stop();
  expect(world?.failures).toEqual([]);
});

async function eventRow(id: string): Promise<EventRow | undefined> {
  const [row] = await world.postgres.query<EventRow>(
    'SELECT status, pending, retrying, delivered, dead_lettered FROM events WHERE id = $1',
    [id],
  );
  return row;
}

const ended = (id: string, status: string, timeoutMs = 60_000) =>
  waitUntil(
    `${id} is ${status}`,
    async () => {
      const row = await eventRow(id);
      return row?.status === status ? row : undefined;
    },
    { timeoutMs, everyMs: 100 },
  );

/** One event for many endpoints, and one for a single endpoint behind it, in the only partition. */
async function publishWideThenNarrow(endpoints: number, payload = Buffer.from('{"wide":true}')) {
  await world.startProjector();
  await world.addEndpoints(endpoints, 'src_wide');
  await world.addEndpoint('narrow', {}, { sourceIds: ['src_1'] });
  const [wide] = await world.publish(1, () => payload, 'src_wide');
  const [narrow] = await world.publish(1);
  return { wide: wide!.id, narrow: narrow!.id };
}

/** Fan-out by itself, on topics as they are created: so many deliveries take their time to be sent, which is another matter. */
async function startFanOut(endpointsOf: (sourceId: string) => readonly Endpoint[]): Promise<void> {
  const { kafkaBrokers: brokers, schemaRegistryUrl: registryUrl } = serverAddresses();
  const { topics, topicPrefix } = world;
  const common = { clock: systemClock, log: silentLogger, crashPoints: noCrashPoints, topics };
  const kafka = { ...common, brokers, clientId: 'fan-out-test', metrics: new Metrics() };
  const codecOptions = <Topic extends 'events' | 'delivery.attempts'>(topic: Topic) => ({
    ...common,
    registryUrl,
    topic: topics[topic],
    schema: readSchema(topic),
  });
  const events = createEventCodec(codecOptions('events'));
  const attempts = createAttemptCodec(codecOptions('delivery.attempts'));
  const producer = createProducer({ ...kafka, topics: [topics.deliveries] });
  const waitOut = createWaitOut(common);
  const [publish, offer] = [
    createPublish({ ...common, producer, waitOut }),
    createOffer({ ...common, producer, waitOut }),
  ];
  const writers = {
    ...common,
    publish,
    offer,
    ...createBurying({ ...common, publish, topic: topics['dead-letters'] }),
    encodeAttempt: attempts.encode,
    metrics: noMetrics,
  };
  const consumer = createConsumer({
    ...kafka,
    groupId: `${topicPrefix}fan-out`,
    topics: [topics.events],
    onUndecodable: noneUndecodable,
    handle: createFanOut({
      ...nothingErased,
      ...writers,
      setAside: createSetAside({ atOnce: 4, onFailure: (error) => void world.failures.push(error as Error) }),
      directory: {
        candidates: ({ source_id }) => endpointsOf(source_id),
        suffices: () => true,
        readForFanOut: async () => undefined,
      },
      matchEndpoints: createMatchEndpoints<Endpoint>({
        turns: createMatchTurns(),
        unjudged: { note: () => undefined },
      }),
      decodeEvent: events.decode,
      writeSet: createWriteSet({ ...writers, newTry: randomUUID, maxDeliveries: 1_000 }),
      endRefused: createEndRefused(writers),
      waitOut,
    }),
    onFailure: (error) => void world.failures.push(error),
  });
  await world.startParts([events, attempts, producer, consumer]);
}

test('an event for 34,400 endpoints is fanned out, whose set is too large for one record, and what stands behind it', async () => {
  const many = Array.from({ length: 34_400 }, () => anEndpoint({ id: createId('ep', Date.now()), beginsAt: 0 }));
  const one = anEndpoint({ beginsAt: 0 });
  world = await createWorld('wide', { partitions: 1 });
  await world.startProjector();
  const [wide] = await world.publish(1, undefined, 'src_wide');
  const [narrow] = await world.publish(1);
  await startFanOut((sourceId) => (sourceId === 'src_wide' ? many : [one]));
  expect(await ended(wide!.id, 'processing', 90_000)).toMatchObject({ pending: many.length });
  expect(await ended(narrow!.id, 'processing', 90_000)).toMatchObject({ pending: 1 });
  expect((await world.deliveries()).filter(({ event_id }) => event_id === wide!.id)).toHaveLength(many.length);
});

test('a topic that takes less than a set is written in smaller chunks', async () => {
  world = await createWorld('small-sets', { partitions: 1, maxMessageBytes: { 'delivery.attempts': 8_192 } });
  const { wide, narrow } = await publishWideThenNarrow(200);
  await world.startDispatcher();
  expect(await ended(wide, 'completed')).toMatchObject({ delivered: 200 });
  await ended(narrow, 'completed');
  // On a busy machine one or the other is sent again.
  expect(world.receiver.arrivals.length).toBeGreaterThanOrEqual(201);
});

test('a delivery that its topic refuses ends as a dead letter, and its event with it', async () => {
  world = await createWorld('small-deliveries', { partitions: 1, maxMessageBytes: { deliveries: 4_096 } });
  const { wide, narrow } = await publishWideThenNarrow(3, Buffer.alloc(8_192, 'x'));
  await world.startDispatcher();
  expect(await ended(wide, 'dead_lettered')).toMatchObject({ dead_lettered: 3, pending: 0 });
  await ended(narrow, 'completed');
  const deadLetters = await world.postgres.query('SELECT reason, event_id FROM dead_letters');
  expect(deadLetters).toEqual(Array(3).fill({ reason: 'refused_by_kafka', event_id: wide }));
  expect(await world.deliveries()).toMatchObject([
    ...Array<object>(3).fill({ event_id: wide, status: 'dead_lettered', detail: 'refused_by_kafka' }),
    { event_id: narrow, status: 'delivered' },
  ]);
});

test('a fan-out that dies between two chunks is repeated as another try, and nothing is judged before that is whole', async () => {
  world = await createWorld('chunks', { partitions: 1 });
  await world.startProjector();
  await world.addEndpoints(5, 'src_wide');
  const [event] = await world.publish(1, () => Buffer.from('{}'), 'src_wide');
  const chunks = { HOOKLINE_DISPATCHER_SET_CHUNK: '2' };
  const armed = await world.spawnService('dispatcher', {
    ...chunks,
    HOOKLINE_CRASH_POINT: 'fan-out.between-chunks@2',
  });
  expect(await armed.exited).toMatchObject({ signal: 'SIGKILL', killedByTest: false });
  await waitUntil('what was written is in the tables', async () => (await world.deliveries()).length === 4);
  expect(await eventRow(event!.id)).toMatchObject({ status: 'received', pending: 0 });

  await world.spawnService('dispatcher', chunks);
  expect(await ended(event!.id, 'completed')).toMatchObject({ delivered: 5 });
  expect(await world.deliveries()).toHaveLength(5);
  expect(await world.postgres.query('SELECT FROM fan_out_chunks')).toEqual([]);
});
