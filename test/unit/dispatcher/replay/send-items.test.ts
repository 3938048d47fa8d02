import { type DeadLetterStage, header, packHeaders, parseDelivery, undecodableBatchHeaders } from '#lib/contract';
import { decodeKeptBatch } from '#lib/kafka';
import type { LeasedReplay, ReplayItem } from '#lib/replay-store';
import { AppError, createManualClock } from '#lib/runtime';
import { batchRecord, encodeRecordBatch, type RecordContent } from '../../../../libs/kafka/codec/record-batch.ts';
import type { Endpoint } from '../../../../services/dispatcher/model/endpoint.ts';
import { createSendItems } from '../../../../services/dispatcher/replay/send-items.ts';
import type { ReadBatchAgain } from '../../../../services/dispatcher/replay/records-of-batch.ts';
import type { EventContent } from '../../../../services/dispatcher/model/event-content.ts';
import { anEndpoint, createFakeKafka, createWriters, never, secondMicros, startMicros, topics } from '../fixtures.ts';
import { nothingErased } from '../../../support/nothing-erased.ts';

const replay: LeasedReplay = {
  tenant: 'acme',
  id: 'rpl_1',
  createdAt: startMicros - 60 * secondMicros,
  ratePerSecond: null,
  operation: null,
  isTest: false,
  owner: 'me',
};
const notThere: ReadBatchAgain = async () => ({ problem: 'is not there' });
const delivery = (item: number, eventId: string, endpointId: string, generation = 1): ReplayItem => ({
  item,
  kind: 'delivery',
  eventId,
  endpointId,
  generation,
});
const content = (eventId: string, orderingKey: string | null = null): EventContent => ({
  tenant: 'acme',
  eventId,
  type: 'order.created',
  receivedAt: startMicros - 3_600 * secondMicros,
  orderingKey,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  contentType: 'application/json',
  contentEncoding: null,
  request: null,
  trail: [],
  payload: Buffer.from(`{"id":"${eventId}"}`),
});

function createWorld(
  endpoints: Endpoint[],
  {
    known = ['evt_1', 'evt_2'],
    refreshed = endpoints,
    orderingKey = null as string | null,
    maxDeliveries = undefined as number | undefined,
    readBatchAgain = notThere,
  } = {},
) {
  const clock = createManualClock();
  const kafka = createFakeKafka();
  let current = endpoints;
  const send = createSendItems({
    ...nothingErased,
    directory: {
      get: (tenant, id) => current.find((endpoint) => endpoint.tenant === tenant && endpoint.id === id),
      recent: () => undefined,
      refresh: async () => void (current = refreshed),
    },
    table: {
      contents: async (events) =>
        events.flatMap(({ eventId }) => (known.includes(eventId) ? content(eventId, orderingKey) : [])),
    },
    ...createWriters(kafka, { clock, ...(maxDeliveries && { maxDeliveries }) }),
    topics,
    decompressedBytes: 10_000,
    readBatchAgain,
    clock,
  });
  return {
    clock,
    kafka,
    send: (items: ReplayItem[], more: Partial<LeasedReplay> = {}) => send({ ...replay, ...more }, items, never),
  };
}

test('deliveries are announced as a set of their generation, then sent with a whole window before them', async () => {
  const { kafka, send } = createWorld([anEndpoint({ id: 'ep_a' }), anEndpoint({ id: 'ep_b' })]);
  const ends = await send([
    delivery(1, 'evt_1', 'ep_a'),
    delivery(2, 'evt_1', 'ep_b'),
    delivery(3, 'evt_2', 'ep_a', 4),
  ]);
  expect(ends).toEqual([1, 2, 3].map((item) => ({ item, reason: null })));

  const sets = kafka.attempts();
  expect(kafka.sent.map(({ topic }) => topic)).toEqual([
    ...sets.map(() => topics['delivery.attempts']),
    ...Array.from({ length: 3 }, () => topics.deliveries),
  ]);
  expect(sets).toMatchObject([
    {
      kind: 'fanned_out',
      event_id: 'evt_1',
      generation: 1,
      deliveries: [{ endpoint_id: 'ep_a' }, { endpoint_id: 'ep_b' }],
    },
    { kind: 'fanned_out', event_id: 'evt_2', generation: 4, deliveries: [{ endpoint_id: 'ep_a' }] },
  ]);
  const deliveries = kafka
    .of(topics.deliveries)
    .map(({ headers, value }) => parseDelivery(headers as Record<string, string>, value));
  expect(deliveries.map((each) => ('malformed' in each ? each.malformed : each.id))).toEqual(
    sets.flatMap((set) => set.deliveries.map(({ delivery_id }) => delivery_id)),
  );
  expect(deliveries[0]).toMatchObject({
    eventId: 'evt_1',
    generation: 1,
    createdAt: startMicros,
    receivedAt: startMicros - 3_600 * secondMicros,
    payload: Buffer.from('{"id":"evt_1"}'),
  });
});

test('deliveries of one ordering key are written in the order that they are given in, where their endpoint wants one', async () => {
  const writtenTo = async (ordered: boolean): Promise<string[]> => {
    const { clock, kafka, send } = createWorld([anEndpoint({ id: 'ep_a', ordered })], { orderingKey: 'customer-1' });
    let refusals = 1;
    kafka.answer = ({ topic }) => {
      if (topic === topics.deliveries && refusals-- > 0) throw new AppError('kafka_unavailable', 'not acknowledged');
    };
    const sending = send([delivery(1, 'evt_1', 'ep_a'), delivery(2, 'evt_2', 'ep_a')]);
    await clock.advance(10_000);
    await sending;
    return kafka.of(topics.deliveries).map(({ headers }) => String(headers[header.eventId]));
  };
  expect(await writtenTo(true)).toEqual(['evt_1', 'evt_2']);
  expect(await writtenTo(false)).toEqual(['evt_2', 'evt_1']);
});

test('the delivery of a test is urgent, and no other', async () => {
  const { kafka, send } = createWorld([anEndpoint({ id: 'ep_a' })]);
  await send([delivery(1, 'evt_1', 'ep_a')], { isTest: true });
  await send([delivery(1, 'evt_2', 'ep_a')]);
  const marks = kafka.of(topics.deliveries).map(({ headers }) => headers[header.urgent]);
  expect(marks).toEqual(['1', undefined]);
});

test('what is sent again after a crash, at another time, has the same ids; another generation has others', async () => {
  const { clock, kafka, send } = createWorld([anEndpoint({ id: 'ep_a' })]);
  await send([delivery(1, 'evt_1', 'ep_a')]);
  await clock.advance(60_000);
  await send([delivery(1, 'evt_1', 'ep_a')]);
  await send([delivery(1, 'evt_1', 'ep_a', 2)]);
  const [first, again, other] = kafka.attempts().map(({ deliveries }) => deliveries);
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
});

test('what would end without being sent fails with its reason, and is neither announced nor sent', async () => {
  const { kafka, send } = createWorld([
    anEndpoint({ id: 'ep_gone', deletedAt: startMicros }),
    anEndpoint({ id: 'ep_off', disabledAt: startMicros }),
    anEndpoint({ id: 'ep_a' }),
  ]);
  const items = [
    delivery(1, 'evt_1', 'ep_gone'),
    delivery(2, 'evt_1', 'ep_off'),
    delivery(3, 'evt_1', 'ep_none'),
    delivery(4, 'evt_past', 'ep_a'),
    { item: 5, kind: 'missing', generation: 1 } as const,
  ];
  expect(await send(items)).toEqual([
    { item: 1, reason: 'endpoint_deleted' },
    { item: 2, reason: 'endpoint_disabled' },
    { item: 3, reason: 'endpoint_unknown' },
    { item: 4, reason: 'payload_expired' },
    { item: 5, reason: 'letter_removed' },
  ]);
  expect(kafka.sent).toEqual([]);
});

test('an endpoint that was enabled a moment ago is sent to: the directory is read anew before anything fails', async () => {
  const off = anEndpoint({ id: 'ep_a', disabledAt: startMicros });
  const { kafka, send } = createWorld([off], { refreshed: [{ ...off, disabledAt: null }] });
  expect(await send([delivery(1, 'evt_1', 'ep_a')])).toEqual([{ item: 1, reason: null }]);
  expect(kafka.of(topics.deliveries)).toHaveLength(1);
});

test.each([
  ['dedup', 'test.webhooks.received-0-7', 'webhooks.received'],
  ['fan-out', 'test.events-2-7', 'events'],
  ['dispatcher', 'test.deliveries-2-7', 'deliveries'],
  ['projector', 'test.duplicates-11-7', 'duplicates'],
  ['projector', 'test.delivery.attempts-0-7', 'delivery.attempts'],
] as const)(
  'a record that died at %s (%s) goes back to its topic, with key, headers and bytes as they were',
  async (stage, origin, topic) => {
    const { kafka, send } = createWorld([]);
    const odd = [Buffer.from([255, 0]), Buffer.from('b')];
    const headers = packHeaders({
      [header.tenant]: Buffer.from('acme'),
      odd,
      [header.deadLetterReason]: Buffer.from('why'),
    });
    const value = Buffer.from([0, 1, 255]);
    const item = { item: 1, kind: 'record', generation: 3, stage, origin, key: null, headers, value } as const;
    expect(await send([item])).toEqual([{ item: 1, reason: null }]);
    expect(kafka.sent).toEqual([
      {
        topic: topics[topic],
        key: null,
        value,
        headers: {
          [header.tenant]: [Buffer.from('acme')],
          odd,
          [header.origin]: origin,
          [header.generation]: '3',
          [header.replayFor]: stage,
        },
      },
    ]);
  },
);

describe('a batch that could not be decoded', () => {
  const batchItem = (stage: DeadLetterStage, topic: string, value: Buffer): ReplayItem => ({
    item: 1,
    kind: 'record',
    generation: 1,
    stage,
    key: null,
    value,
    origin: `${topic}-2-40..41`,
    headers: packHeaders(
      Object.fromEntries(
        Object.entries(
          undecodableBatchHeaders({
            topic,
            partition: 2,
            firstOffset: 40n,
            lastOffset: 41n,
            compression: 'zstd',
            problem: 'is broken',
          }),
        ).map(([name, text]) => [name, Buffer.from(text)]),
      ),
    ),
  });
  const stored = (records: readonly RecordContent[]): Buffer => {
    const batch = encodeRecordBatch(records.map(batchRecord), 0, 'zstd');
    batch.writeBigInt64BE(40n, 0);
    return batch;
  };
  const value = Buffer.from('{"id":"evt_1"}'.repeat(50));
  const first = { key: Buffer.from('k'), value, headers: [['odd', Buffer.from([255, 0])]] } as const;

  test('gives back its records, each as it was, and with where it stood', async () => {
    const { kafka, send } = createWorld([]);
    const replayed = { key: null, value, headers: [[header.origin, 'test.webhooks.received-0-7']] } as const;
    const batch = stored([first, replayed]);
    expect(await send([batchItem('dedup', topics['webhooks.received'], batch)])).toEqual([{ item: 1, reason: null }]);
    const added = { [header.replayFor]: 'dedup' };
    // Records without a key, and those of different keys, are in no order.
    expect(kafka.sent.toSorted((a, b) => (b.key?.length ?? 0) - (a.key?.length ?? 0))).toEqual([
      {
        topic: topics['webhooks.received'],
        key: Buffer.from('k'),
        value,
        headers: { odd: Buffer.from([255, 0]), [header.origin]: 'test.webhooks.received-2-40', ...added },
      },
      {
        topic: topics['webhooks.received'],
        key: null,
        value,
        headers: { [header.origin]: 'test.webhooks.received-0-7', ...added },
      },
    ]);
  });

  test('fails with its reason while it still can’t be, and sends nothing of it', async () => {
    const { kafka, send } = createWorld([]);
    const cutOff = stored([first]).subarray(0, 80);
    const large = stored([{ ...first, value: Buffer.alloc(10_001) }]);
    for (const batch of [cutOff, large])
      expect(await send([batchItem('fan-out', topics.events, batch)])).toEqual([
        { item: 1, reason: 'batch_undecodable' },
      ]);
    expect(await send([batchItem('dedup', 'old.webhooks.received', stored([first]))])).toEqual([
      { item: 1, reason: 'topic_unknown' },
    ]);
    expect(kafka.sent).toEqual([]);
  });

  test('is taken from its topic, where its bytes are sound by now', async () => {
    const asked: object[] = [];
    const { kafka, send } = createWorld([], {
      async readBatchAgain(batch) {
        asked.push(batch);
        return decodeKeptBatch(stored([first]), batch, 10_000);
      },
    });
    const cutOff = stored([first]).subarray(0, 80);
    expect(await send([batchItem('fan-out', topics.events, cutOff)])).toEqual([{ item: 1, reason: null }]);
    expect(asked).toMatchObject([{ topic: topics.events, partition: 2, firstOffset: 40n, lastOffset: 41n }]);
    expect(kafka.sent).toMatchObject([{ topic: topics.events, value }]);
  });

  test('leaves out records that were replayed for another stage, and changes no dead letter', async () => {
    const { kafka, send } = createWorld([]);
    const forAnother = { key: null, value, headers: [[header.replayFor, 'fan-out']] } as const;
    await send([batchItem('projector', topics.events, stored([first, forAnother]))]);
    await send([batchItem('projector', topics['dead-letters'], stored([first, forAnother]))]);
    const sent = kafka.sent.map(({ topic, headers }) => [topic, Object.keys(headers)]);
    expect(sent.toSorted((a, b) => String(b).localeCompare(String(a)))).toEqual([
      [topics.events, ['odd', header.origin, header.replayFor]],
      [topics['dead-letters'], ['odd']],
      [topics['dead-letters'], [header.replayFor]],
    ]);
  });
});

test('a record of a topic that is none of ours any more fails', async () => {
  const { kafka, send } = createWorld([]);
  const record = {
    stage: 'projector',
    origin: 'old.events-0-1',
    key: null,
    headers: packHeaders({}),
    value: Buffer.from('x'),
  } as const;
  expect(await send([{ item: 1, kind: 'record', generation: 1, ...record }])).toEqual([
    { item: 1, reason: 'topic_unknown' },
  ]);
  expect(kafka.sent).toEqual([]);
});

test('a set that is too large for one record comes in chunks of one try, all of them before a delivery', async () => {
  const endpoints = ['ep_a', 'ep_b', 'ep_c'].map((id) => anEndpoint({ id }));
  const { kafka, send } = createWorld(endpoints, { maxDeliveries: 2 });
  await send(endpoints.map(({ id }, index) => delivery(index + 1, 'evt_1', id)));
  expect(kafka.attempts().map(({ generation, chunk }) => [generation, chunk])).toEqual([
    [1, { try: 'try-1', index: 0, count: 2 }],
    [1, { try: 'try-1', index: 1, count: 2 }],
  ]);
  expect(kafka.sent.slice(2).map(({ topic }) => topic)).toEqual(Array(3).fill(topics.deliveries));
});

describe('what Kafka refuses is not tried for ever', () => {
  const refuse = ({ kafka }: ReturnType<typeof createWorld>, topic: string): void => {
    kafka.answer = (record) => {
      if (record.topic === topic) throw new AppError('data_invalid', 'too large');
    };
  };

  test('a delivery has died on its way, as its dead letter and its record say: the item was sent', async () => {
    const world = createWorld([anEndpoint({ id: 'ep_a' })]);
    refuse(world, topics.deliveries);
    expect(await world.send([delivery(1, 'evt_1', 'ep_a')])).toEqual([{ item: 1, reason: null }]);
    const [set, end] = world.kafka.attempts();
    const id = set?.deliveries[0]?.delivery_id;
    expect(end).toMatchObject({ kind: 'ended', delivery_id: id, generation: 1, status: 'dead_lettered', step: 1 });
    expect(world.kafka.of(topics['dead-letters'])).toMatchObject([
      { headers: { [header.deadLetterReason]: 'refused_by_kafka', [header.deadLetterOrigin]: id } },
    ]);
  });

  test('an item whose set is refused fails, and is not sent', async () => {
    const world = createWorld([anEndpoint({ id: 'ep_a' })]);
    refuse(world, topics['delivery.attempts']);
    expect(await world.send([delivery(1, 'evt_1', 'ep_a')])).toEqual([{ item: 1, reason: 'refused_by_kafka' }]);
    expect(world.kafka.sent).toEqual([]);
  });

  test('a record that goes back to its topic fails', async () => {
    const world = createWorld([]);
    refuse(world, topics.events);
    const headers = packHeaders({});
    const died = { stage: 'fan-out', origin: 'test.events-0-1', key: null, headers, value: Buffer.from('x') } as const;
    const item: ReplayItem = { item: 1, kind: 'record', generation: 1, ...died };
    expect(await world.send([item])).toEqual([{ item: 1, reason: 'refused_by_kafka' }]);
  });
});
