import { type EventRecord, header, parseDelivery, trailMark } from '#lib/contract';
import { createMatchTurns } from '#lib/event-filter';
import type { Endpoint } from '../../../services/dispatcher/model/endpoint.ts';
import { createFanOut } from '../../../services/dispatcher/fan-out/fan-out.ts';
import { skipFannedOut } from '../../../services/dispatcher/fan-out/skip-fanned-out.ts';
import { createSetAside } from '../../../services/dispatcher/fan-out/set-aside.ts';
import { createMatchEndpoints } from '#lib/fan-out';
import {
  AppError,
  type CrashPointName,
  type CrashPoints,
  createManualClock,
  noCrashPoints,
  silentLogger,
} from '#lib/runtime';
import * as fixtures from './fixtures.ts';
import { nothingErased } from '../../support/nothing-erased.ts';

const {
  anEndpoint,
  anEvent,
  aRecord,
  createFakeKafka,
  createWriters,
  decodeAttempt,
  never,
  noMetrics,
  settle,
  startMicros,
  topics,
} = fixtures;

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const dyingAt = (point: CrashPointName): CrashPoints => ({
  reach: (reached) => {
    if (reached === point) throw new Error('killed');
  },
});

function createWorld(
  endpoints: Endpoint[],
  { crashPoints = noCrashPoints, maxDeliveries }: { crashPoints?: CrashPoints; maxDeliveries?: number } = {},
) {
  const clock = createManualClock();
  const kafka = createFakeKafka();
  const directory = { suffices: true, refreshes: 0, away: false };
  const events = new Map<string, EventRecord | AppError>();
  const failures: unknown[] = [];
  const setAside = createSetAside({ atOnce: 2, onFailure: (error) => failures.push(error) });
  const handle = createFanOut({
    ...nothingErased,
    setAside,
    directory: {
      candidates: ({ tenant }) => endpoints.filter((endpoint) => endpoint.tenant === tenant),
      suffices: () => directory.suffices,
      readForFanOut: async () => {
        directory.refreshes += 1;
        if (directory.away) throw new AppError('store_unavailable', 'away');
        directory.suffices = true;
      },
    },
    matchEndpoints: createMatchEndpoints<Endpoint>({
      turns: createMatchTurns(),
      unjudged: { note: () => undefined },
    }),
    decodeEvent: async (bytes) => {
      const event = events.get(bytes.toString());
      if (event === undefined || event instanceof AppError) throw event ?? new AppError('data_invalid', 'no event');
      return event;
    },
    ...createWriters(kafka, { clock, crashPoints, ...(maxDeliveries && { maxDeliveries }) }),
    topics,
    clock,
    crashPoints,
    metrics: noMetrics,
    log: silentLogger,
  });
  const fanOut = skipFannedOut(handle);
  const record = (event: EventRecord | AppError, offset = 0n) => {
    const bytes = `event ${events.size}`;
    events.set(bytes, event);
    return aRecord({
      topic: topics.events,
      key: Buffer.from('evt_1'),
      value: Buffer.from(bytes),
      headers: { [header.traceparent]: traceparent },
      offset,
    });
  };
  const asideIsDone = async (tenant = 'acme'): Promise<void> => {
    while (setAside.has(tenant)) await settle();
  };
  return { clock, kafka, directory, events, fanOut, record, asideIsDone, failures };
}

const sentTopics = ({ kafka }: ReturnType<typeof createWorld>): string[] =>
  kafka.sent.map(({ topic }) => topic.replace('test.', ''));

describe('fan-out', () => {
  it('writes the set and one delivery for each endpoint of it, and then the event is done', async () => {
    const world = createWorld([
      anEndpoint({ id: 'ep_1' }),
      anEndpoint({ id: 'ep_2' }),
      anEndpoint({ tenant: 'other' }),
    ]);
    const record = world.record(anEvent({ ordering_key: 'order-1' }));
    await world.fanOut([record], never);
    expect(sentTopics(world)).toEqual(['delivery.attempts', 'deliveries', 'deliveries']);
    const [set, ...deliveries] = world.kafka.sent;
    expect(set?.key).toBe('evt_1');
    const ids = world.kafka.attempts()[0]?.deliveries.map(({ delivery_id }) => delivery_id);
    expect(world.kafka.attempts()).toMatchObject([
      {
        kind: 'fanned_out',
        tenant: 'acme',
        event_id: 'evt_1',
        generation: 0,
        at: startMicros,
        deliveries: [{ endpoint_id: 'ep_1' }, { endpoint_id: 'ep_2' }],
        delivery_id: null,
      },
    ]);
    expect(deliveries.map(({ key }) => key)).toEqual(['ep_1', 'ep_2']);
    deliveries.forEach(({ headers, value }, index) =>
      expect(parseDelivery(headers as Record<string, string>, value)).toEqual({
        id: ids?.[index],
        tenant: 'acme',
        eventId: 'evt_1',
        eventType: 'order.created',
        endpointId: `ep_${index + 1}`,
        generation: 0,
        createdAt: startMicros,
        receivedAt: startMicros,
        orderingKey: 'order-1',
        contentType: 'application/json',
        contentEncoding: null,
        passedHeaders: [],
        trail: [trailMark('src_1')],
        traceparent,
        payload: Buffer.from('{"order":1}'),
      }),
    );
    expect(new Set(ids).size).toBe(2);
    expect(record.isDone()).toBe(true);
  });

  it('writes an empty set: it completes the event', async () => {
    const world = createWorld([]);
    const record = world.record(anEvent());
    await world.fanOut([record], never);
    expect(world.kafka.attempts()).toMatchObject([{ kind: 'fanned_out', deliveries: [] }]);
    expect(sentTopics(world)).toEqual(['delivery.attempts']);
    expect(record.isDone()).toBe(true);
  });

  it('waits for no set before it writes deliveries, and the event is done when both are acknowledged', async () => {
    const world = createWorld([anEndpoint()]);
    const acknowledged = Promise.withResolvers<void>();
    const handedOver: string[] = [];
    world.kafka.answer = (record) => {
      handedOver.push(record.topic.replace('test.', ''));
      return record.key === 'evt_2' ? acknowledged.promise : undefined;
    };
    const records = [world.record(anEvent()), world.record(anEvent({ id: 'evt_2' }))];
    const working = world.fanOut(records, never);
    await settle();
    expect(handedOver.sort()).toEqual(['deliveries', 'deliveries', 'delivery.attempts', 'delivery.attempts']);
    expect(records.map((record) => record.isDone())).toEqual([false, false]);
    acknowledged.resolve();
    await working;
    expect(records.map((record) => record.isDone())).toEqual([true, true]);
  });

  it('leaves the event undone until its last delivery is acknowledged', async () => {
    const world = createWorld([anEndpoint({ id: 'ep_1' }), anEndpoint({ id: 'ep_2' })]);
    const acknowledged = Promise.withResolvers<void>();
    world.kafka.answer = (record) => (record.key === 'ep_2' ? acknowledged.promise : undefined);
    const record = world.record(anEvent());
    const working = world.fanOut([record], never);
    await settle();
    expect(record.isDone()).toBe(false);
    acknowledged.resolve();
    await working;
    expect(record.isDone()).toBe(true);
  });

  it('comes to the same ids however often, and with whatever has become of the endpoints since', async () => {
    const before = createWorld([anEndpoint({ id: 'ep_1' }), anEndpoint({ id: 'ep_2' }), anEndpoint({ id: 'ep_3' })]);
    await before.fanOut([before.record(anEvent())], never);
    const after = createWorld([
      anEndpoint({ id: 'ep_3', disabledAt: startMicros + 1 }),
      anEndpoint({ id: 'ep_2', deletedAt: startMicros + 1 }),
      anEndpoint({ id: 'ep_1' }),
      anEndpoint({ id: 'ep_4', beginsAt: startMicros + 1 }),
    ]);
    await after.clock.advance(3_600_000);
    await after.fanOut([after.record(anEvent())], never);
    const setOf = ({ kafka }: typeof before) =>
      new Set(kafka.attempts()[0]?.deliveries.map(({ delivery_id }) => delivery_id));
    expect(setOf(after)).toEqual(setOf(before));
  });

  it('judges by a directory that has what counts, and waits for one while Postgres is away', async () => {
    const world = createWorld([anEndpoint()]);
    await world.fanOut([world.record(anEvent())], never);
    expect(world.directory.refreshes).toBe(0);

    world.directory.suffices = false;
    world.directory.away = true;
    const record = world.record(anEvent());
    const working = world.fanOut([record], never);
    await world.clock.advance(60_000);
    expect(world.directory.refreshes).toBeGreaterThan(5);
    expect([world.kafka.attempts().length, record.isDone()]).toEqual([1, false]);
    world.directory.away = false;
    await world.clock.advance(5_000);
    await working;
    expect(record.isDone()).toBe(true);
  });

  it('waits while the schema registry is away', async () => {
    const world = createWorld([anEndpoint()]);
    const record = world.record(new AppError('registry_unavailable', 'away'));
    const working = world.fanOut([record], never);
    await world.clock.advance(60_000);
    expect(world.kafka.sent).toEqual([]);
    world.events.set(record.value.toString(), anEvent());
    await world.clock.advance(5_000);
    await working;
    expect(record.isDone()).toBe(true);
  });

  it('waits while Kafka is away, and gives up when the partition is lost, leaving the event undone', async () => {
    const world = createWorld([anEndpoint()]);
    world.kafka.answer = () => {
      throw new AppError('kafka_unavailable', 'away');
    };
    const lost = new AbortController();
    const record = world.record(anEvent());
    const working = world.fanOut([record], lost.signal);
    await world.clock.advance(60_000);
    lost.abort();
    await expect(working).rejects.toMatchObject({ code: 'stopped' });
    expect(record.isDone()).toBe(false);
  });

  it('buries what is no event, whole, and goes on with its neighbours', async () => {
    const world = createWorld([anEndpoint()]);
    const bad = world.record(new AppError('data_invalid', 'no Avro'), 42n);
    const good = world.record(anEvent());
    await world.fanOut([bad, good], never);
    expect(world.kafka.of(topics['dead-letters'])).toMatchObject([
      {
        key: bad.key,
        value: bad.value,
        headers: {
          [header.traceparent]: Buffer.from(traceparent),
          [header.deadLetterStage]: 'fan-out',
          [header.deadLetterReason]: 'malformed_record',
          [header.deadLetterOrigin]: 'test.events-0-42',
        },
      },
    ]);
    expect([bad.isDone(), good.isDone()]).toEqual([true, true]);
    expect(world.kafka.of(topics.deliveries)).toHaveLength(1);
  });

  it('buries what can be decoded and is no event all the same: what would be written of it no topic or table takes', async () => {
    const world = createWorld([anEndpoint()]);
    const forged = [
      { id: 'evt\0' },
      { id: 'x'.repeat(1_500_000) },
      { received_at: -1 },
      { payload: Buffer.alloc(2_000_000) },
    ];
    const bad = forged.map((given, index) => world.record(anEvent(given), BigInt(index)));
    await world.fanOut([...bad, world.record(anEvent())], never);
    expect(world.kafka.of(topics['dead-letters'])).toHaveLength(bad.length);
    expect(bad.every((record) => record.isDone())).toBe(true);
    expect(world.kafka.of(topics.deliveries)).toHaveLength(1);
  });

  it('writes the deliveries of an ordering key in the order of its events, where an endpoint wants that, whatever Kafka refuses', async () => {
    const world = createWorld([anEndpoint({ id: 'ep_ordered', ordered: true }), anEndpoint({ id: 'ep_other' })]);
    const names = ['a1', 'b1', 'a2', 'b2', 'a3'];
    const records = names.map((id, at) => world.record(anEvent({ id, ordering_key: id.slice(0, 1) }), BigInt(at)));
    const refused = new Set(['ep_ordered a1', 'ep_other a1']);
    world.kafka.answer = ({ topic, key, headers }) => {
      if (topic === topics.deliveries && refused.delete(`${String(key)} ${String(headers[header.eventId])}`))
        throw new AppError('kafka_unavailable', 'not acknowledged');
    };
    const fanningOut = world.fanOut(records, never);
    await world.clock.advance(10_000);
    await fanningOut;
    const writtenTo = (endpointId: string, key: string): string[] =>
      world.kafka
        .of(topics.deliveries)
        .filter((record) => record.key === endpointId)
        .map(({ headers }) => String(headers[header.eventId]))
        .filter((id) => id.startsWith(key));
    expect(writtenTo('ep_ordered', 'a')).toEqual(['a1', 'a2', 'a3']);
    expect(writtenTo('ep_ordered', 'b')).toEqual(['b1', 'b2']);
    // Without an order, nothing waits for a refused delivery.
    expect(writtenTo('ep_other', 'a')).toEqual(['a2', 'a3', 'a1']);
  });

  it('passes its crash points around its writes, and a successor after any of them repeats without another id', async () => {
    const points: CrashPointName[] = ['fan-out.before-set', 'fan-out.after-set', 'fan-out.after-deliveries'];
    const whole = createWorld([anEndpoint()]);
    await whole.fanOut([whole.record(anEvent())], never);
    const written = [0, 2, 2];
    for (const [index, point] of points.entries()) {
      const died = createWorld([anEndpoint()], { crashPoints: dyingAt(point) });
      const record = died.record(anEvent());
      await expect(died.fanOut([record], never)).rejects.toThrow('killed');
      expect(died.kafka.sent).toEqual(whole.kafka.sent.slice(0, written[index]));
      expect(record.isDone()).toBe(false);
    }
  });
});

describe('the set of an event for more endpoints than one record takes', () => {
  const endpoints = Array.from({ length: 7 }, (_, index) => anEndpoint({ id: `ep_${index}` }));
  const chunksOf = ({ kafka }: ReturnType<typeof createWorld>) =>
    kafka.attempts().map(({ chunk, deliveries }) => [chunk, deliveries.map(({ endpoint_id }) => endpoint_id)]);

  it('is written in chunks of one try', async () => {
    const world = createWorld(endpoints, { maxDeliveries: 3 });
    await world.fanOut([world.record(anEvent())], never);
    expect(chunksOf(world)).toEqual([
      [{ try: 'try-1', index: 0, count: 3 }, ['ep_0', 'ep_1', 'ep_2']],
      [{ try: 'try-1', index: 1, count: 3 }, ['ep_3', 'ep_4', 'ep_5']],
      [{ try: 'try-1', index: 2, count: 3 }, ['ep_6']],
    ]);
    expect(new Set(world.kafka.of(topics['delivery.attempts']).map(({ key }) => key))).toEqual(new Set(['evt_1']));
    expect(world.kafka.of(topics.deliveries)).toHaveLength(7);
  });

  it('is one record where it fits one, as it was written before there were chunks', async () => {
    const world = createWorld(endpoints, { maxDeliveries: 7 });
    await world.fanOut([world.record(anEvent())], never);
    expect(chunksOf(world)).toEqual([[null, endpoints.map(({ id }) => id)]]);
  });

  it('has no chunk above 128 KiB, however long the ids of its endpoints are', async () => {
    const long = Array.from({ length: 1_000 }, (_, index) => anEndpoint({ id: `ep_${index}_${'x'.repeat(240)}` }));
    const world = createWorld(long);
    await world.fanOut([world.record(anEvent())], never);
    await world.asideIsDone();
    const chunks = world.kafka.attempts().map(({ deliveries }) => deliveries);
    expect(chunks.length).toBeGreaterThan(1);
    for (const chunk of chunks) {
      const bytes = chunk.reduce(
        (sum, { delivery_id, endpoint_id }) => sum + delivery_id.length + endpoint_id.length,
        0,
      );
      expect(bytes).toBeLessThanOrEqual(128 * 1024);
    }
    expect(chunks.flat()).toHaveLength(1_000);
  });

  it('is begun anew in smaller chunks where Kafka takes none of that size', async () => {
    const world = createWorld(endpoints);
    refuseAbove(world, 2);
    const record = world.record(anEvent());
    await world.fanOut([record], never);
    const written = world.kafka.attempts();
    expect(written.map(({ deliveries }) => deliveries.length)).toEqual([2, 2, 2, 1]);
    expect(new Set(written.map(({ chunk }) => chunk?.try)).size).toBe(1);
    expect(record.isDone()).toBe(true);
  });

  it('is a dead letter of its event where Kafka does not take one delivery, and holds up no other event', async () => {
    const world = createWorld(endpoints);
    refuseAbove(world, 0, 'evt_wide');
    const records = [world.record(anEvent({ id: 'evt_wide' }), 4n), world.record(anEvent(), 5n)];
    await world.fanOut(records, never);
    expect(world.kafka.of(topics['dead-letters'])).toMatchObject([
      {
        value: records[0]?.value,
        headers: {
          [header.deadLetterStage]: 'fan-out',
          [header.deadLetterReason]: 'refused_by_kafka',
          [header.deadLetterOrigin]: 'test.events-0-4',
        },
      },
    ]);
    expect(world.kafka.attempts().map(({ event_id }) => event_id)).toEqual(['evt_1']);
    expect(records.map((record) => record.isDone())).toEqual([true, true]);
  });

  it('is whole after the next try, if its writer dies between two chunks', async () => {
    const died = createWorld(endpoints, { maxDeliveries: 3, crashPoints: dyingAt('fan-out.between-chunks') });
    const record = died.record(anEvent());
    await expect(died.fanOut([record], never)).rejects.toThrow('killed');
    expect(died.kafka.attempts()).toMatchObject([{ chunk: { index: 0, count: 3 } }]);
    expect(record.isDone()).toBe(false);
  });

  const refuseAbove = ({ kafka }: ReturnType<typeof createWorld>, deliveries: number, eventId = 'evt_1'): void => {
    kafka.answer = ({ topic, key, value }) => {
      const isSet = topic === topics['delivery.attempts'] && key === eventId;
      if (isSet && decodeAttempt(value).deliveries.length > deliveries) throw new AppError('data_invalid', 'too large');
    };
  };
});

it('plans no more than ten thousand deliveries at once, and writes those before it reads on', async () => {
  const endpoints = Array.from({ length: 500 }, (_, index) => anEndpoint({ id: `ep_${index}` }));
  const world = createWorld(endpoints);
  const records = Array.from({ length: 21 }, (_, at) => world.record(anEvent({ id: `evt_${at}` }), BigInt(at)));
  await world.fanOut(records, never);
  const firstOf = (id: string): number =>
    world.kafka.sent.findIndex(({ topic, key }) => topic === topics['delivery.attempts'] && key === id);
  const firstDelivery = world.kafka.sent.findIndex(({ topic }) => topic === topics.deliveries);
  expect(firstOf('evt_19')).toBeLessThan(firstDelivery);
  expect(firstOf('evt_20')).toBe(firstDelivery + 10_000);
  expect(records.every((record) => record.isDone())).toBe(true);
});

describe('an event that takes long', () => {
  const many = Array.from({ length: 501 }, (_, index) => anEndpoint({ id: `ep_${index}` }));
  const another = anEndpoint({ id: 'ep_other', tenant: 'other' });
  const eventIdsOf = ({ kafka }: ReturnType<typeof createWorld>): string[] => [
    ...new Set(kafka.of(topics.deliveries).map(({ headers }) => String(headers[header.eventId]))),
  ];

  it('holds up its tenant, whose events keep their order, and nobody else', async () => {
    const world = createWorld([...many, another]);
    const acknowledged = Promise.withResolvers<void>();
    world.kafka.answer = ({ key }) => (key === 'evt_wide' ? acknowledged.promise : undefined);
    const [wide, next, other, last] = [
      world.record(anEvent({ id: 'evt_wide' }), 1n),
      world.record(anEvent({ id: 'evt_next' }), 2n),
      world.record(anEvent({ id: 'evt_other', tenant: 'other' }), 3n),
      world.record(anEvent({ id: 'evt_last' }), 4n),
    ];
    await world.fanOut([wide, next, other], never);
    await world.fanOut([last], never);
    await settle();
    expect([wide, next, other, last].map((record) => record.isDone())).toEqual([false, false, true, false]);
    acknowledged.resolve();
    await world.asideIsDone();
    expect(eventIdsOf(world)).toEqual(['evt_other', 'evt_wide', 'evt_next', 'evt_last']);
    expect([wide, next, last].every((record) => record.isDone())).toBe(true);
    expect(world.failures).toEqual([]);
  });

  const judged: string[] = [];
  const filtered = Array.from({ length: 9 }, (_, index) =>
    anEndpoint({
      id: `ep_${index}`,
      subscription: {
        ...anEndpoint().subscription,
        filter: ({ bytes }) => (judged.push(`${index} ${bytes}`), { takes: true, steps: 1 }),
      },
    }),
  );
  const large = Buffer.from(JSON.stringify({ padding: 'x'.repeat(100_000) }));

  it('is one whose payload many filters have to go through, too', async () => {
    const world = createWorld(filtered);
    const record = world.record(anEvent({ payload: large }));
    await world.fanOut([record], never);
    expect(record.isDone()).toBe(false);
    await world.asideIsDone();
    expect(judged).toHaveLength(9);
    expect(record.isDone()).toBe(true);
  });

  it('is not overtaken by one of its tenant that takes no time', async () => {
    const world = createWorld(filtered);
    const acknowledged = Promise.withResolvers<void>();
    world.kafka.answer = ({ key }) => (key === 'evt_long' ? acknowledged.promise : undefined);
    const [long, quick, later] = [
      world.record(anEvent({ id: 'evt_long', payload: large })),
      world.record(anEvent({ id: 'evt_quick' }), 1n),
      world.record(anEvent({ id: 'evt_later' }), 2n),
    ];
    await world.fanOut([long, quick], never);
    await world.fanOut([later], never);
    await settle();
    expect(eventIdsOf(world)).toEqual(['evt_long']);
    acknowledged.resolve();
    await world.asideIsDone();
    expect(eventIdsOf(world)).toEqual(['evt_long', 'evt_quick', 'evt_later']);
  });

  it('comes after what came before it', async () => {
    const world = createWorld(filtered);
    const acknowledged = Promise.withResolvers<void>();
    world.kafka.answer = ({ key }) => (key === 'evt_first' ? acknowledged.promise : undefined);
    const records = [anEvent({ id: 'evt_first' }), anEvent({ id: 'evt_second', payload: large })];
    const working = world.fanOut(
      records.map((event, at) => world.record(event, BigInt(at))),
      never,
    );
    await settle();
    expect(world.kafka.attempts()).toEqual([]);
    acknowledged.resolve();
    await working;
    await world.asideIsDone();
    expect(eventIdsOf(world)).toEqual(['evt_first', 'evt_second']);
  });

  it('is left undone where its partition is lost, and others of its tenant go on', async () => {
    const world = createWorld(many);
    const lost = new AbortController();
    world.kafka.answer = () => {
      if (!lost.signal.aborted) throw new AppError('kafka_unavailable', 'away');
    };
    const ofLost = (id: string) => ({ ...world.record(anEvent({ id })), signal: lost.signal });
    const [gone, queued] = [ofLost('evt_gone'), ofLost('evt_queued')];
    await world.fanOut([gone, queued], lost.signal);
    const kept = world.record(anEvent({ id: 'evt_kept' }));
    await world.fanOut([kept], never);
    await settle();
    lost.abort();
    await world.asideIsDone();
    expect([gone, queued, kept].map((record) => record.isDone())).toEqual([false, false, true]);
    expect(eventIdsOf(world)).toEqual(['evt_kept']);
    expect(world.failures).toEqual([]);
  });

  it('ends the process where it fails', async () => {
    const world = createWorld(many, { crashPoints: dyingAt('fan-out.after-set') });
    const record = world.record(anEvent());
    await world.fanOut([record], never);
    await world.asideIsDone();
    expect(world.failures).toEqual([new Error('killed')]);
    expect(record.isDone()).toBe(false);
  });
});

describe('a delivery whose record Kafka refuses', () => {
  it('ends as a dead letter and a record that says so; the others are written, and the event is done', async () => {
    const world = createWorld([anEndpoint({ id: 'ep_1' }), anEndpoint({ id: 'ep_2' })]);
    world.kafka.answer = ({ topic, key }) => {
      if (topic === topics.deliveries && key === 'ep_1') throw new AppError('data_invalid', 'too large');
    };
    const record = world.record(anEvent());
    await world.fanOut([record], never);
    const [set, end] = world.kafka.attempts();
    const id = set?.deliveries[0]?.delivery_id;
    expect(end).toMatchObject({
      kind: 'ended',
      event_id: 'evt_1',
      delivery_id: id,
      endpoint_id: 'ep_1',
      generation: 0,
      step: 1,
      attempt: 0,
      status: 'dead_lettered',
      detail: 'refused_by_kafka',
    });
    const [deadLetter] = world.kafka.of(topics['dead-letters']);
    expect(deadLetter?.headers).toMatchObject({
      [header.deadLetterStage]: 'dispatcher',
      [header.deadLetterReason]: 'refused_by_kafka',
      [header.deadLetterOrigin]: id,
    });
    expect(
      parseDelivery(deadLetter?.headers as Record<string, string>, deadLetter?.value ?? Buffer.alloc(0)),
    ).toMatchObject({
      id,
    });
    expect(world.kafka.of(topics.deliveries).map(({ key }) => key)).toEqual(['ep_2']);
    expect(record.isDone()).toBe(true);
  });
});

describe('an event that was published with its set', () => {
  const withSet = (text: string, event: EventRecord | AppError = new AppError('data_invalid', 'no event')) => {
    const world = createWorld([anEndpoint()]);
    const record = { ...world.record(event, 7n), headers: { [header.fanOut]: text } };
    return { ...world, record };
  };

  it('is done as it stands, without being decoded', async () => {
    const { fanOut, record, kafka } = withSet(`{"at":${startMicros},"endpointIds":["ep_1"]}`);
    await fanOut([record], never);
    expect(kafka.sent).toEqual([]);
    expect(record.isDone()).toBe(true);
  });

  it('is a dead letter where its set is none', async () => {
    const { fanOut, record, kafka } = withSet('{"at":-1,"endpointIds":[]}', anEvent());
    await fanOut([record], never);
    expect(kafka.of(topics['dead-letters'])).toMatchObject([
      { headers: { [header.deadLetterStage]: 'fan-out', [header.deadLetterReason]: 'malformed_record' } },
    ]);
    expect(kafka.of(topics.deliveries)).toEqual([]);
    expect(record.isDone()).toBe(true);
  });
});

test('an event that was replayed for the projector is not fanned out again', async () => {
  const { fanOut, record, kafka } = createWorld([anEndpoint()]);
  const replayed = { ...record(anEvent()), headers: { [header.replayFor]: 'projector' } };
  await fanOut([replayed], never);
  expect(kafka.sent).toEqual([]);
  expect(replayed.isDone()).toBe(true);
});
