import { deserialize, serialize } from 'node:v8';
import { compilePassHeaders, type EventRecord, header, parseDelivery, parseEventSet, topicsOf } from '#lib/contract';
import { createPublishEvent, createStepBudget, deliveryIdOf, type MatchNarrow } from '#lib/fan-out';
import type { OutgoingRecord } from '#lib/kafka';
import { AppError, createManualClock, noCrashPoints } from '#lib/runtime';
import { anEvent, startMicros } from '../dispatcher/fixtures.ts';

const topics = topicsOf('test.');
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

function createWorld(matchNarrow: MatchNarrow) {
  const published: string[] = [];
  const sent: OutgoingRecord[] = [];
  const world = {
    published,
    sent,
    answer: (_record: OutgoingRecord): unknown => undefined,
    encodeEvent: (event: EventRecord): Buffer => serialize(event),
    publish: (event: Partial<EventRecord> = {}) =>
      publishEvent(anEvent(event), {
        traceparent,
        budget: createStepBudget(),
        async send(record) {
          sent.push(record);
          await world.answer(record);
        },
      }),
  };
  const publishEvent = createPublishEvent({
    matchNarrow,
    encodeEvent: (event) => world.encodeEvent(event),
    topics,
    clock: createManualClock(),
    crashPoints: noCrashPoints,
    metrics: { published: (fanOut) => void published.push(fanOut) },
  });
  return world;
}

const narrow =
  (...endpointIds: string[]): MatchNarrow =>
  () => ({ endpointIds });
const wide: MatchNarrow = () => ({ wide: 'bytes' });
const refuse = (): never => {
  throw new AppError('data_invalid', 'too large');
};
const isEvent = ({ topic }: OutgoingRecord): boolean => topic === topics.events;
const setOf = ({ headers }: OutgoingRecord) => parseEventSet(headers as Record<string, string>);

describe('a narrow event', () => {
  it('is published with its set in a header, together with its deliveries', async () => {
    const world = createWorld(narrow('ep_1', 'ep_2'));
    expect(await world.publish()).toBeUndefined();
    const [event, ...deliveries] = world.sent;
    expect(event).toMatchObject({ topic: topics.events, key: 'evt_1', headers: { [header.traceparent]: traceparent } });
    expect(deserialize(event?.value ?? Buffer.alloc(0))).toMatchObject({ id: 'evt_1' });
    expect(event && setOf(event)).toEqual({ at: startMicros, endpointIds: ['ep_1', 'ep_2'] });
    expect(deliveries.map(({ topic, key }) => [topic, key])).toEqual([
      [topics.deliveries, 'ep_1'],
      [topics.deliveries, 'ep_2'],
    ]);
    for (const { key, headers, value } of deliveries) {
      expect(parseDelivery(headers as Record<string, string>, value)).toMatchObject({
        id: deliveryIdOf(anEvent(), String(key)),
        eventId: 'evt_1',
        endpointId: key,
        generation: 0,
        createdAt: startMicros,
        traceparent,
        payload: anEvent().payload,
      });
    }
    expect(world.published).toEqual(['at_once']);
  });

  it('gives the deliveries to endpoints that ask for them the provider’s headers, and the others none', async () => {
    const rules = compilePassHeaders(['X-A']);
    const world = createWorld(() => ({
      endpointIds: ['ep_1', 'ep_2'],
      ...(rules && { passHeaders: new Map([['ep_2', rules]]) }),
    }));
    const headers = [
      { name: 'X-A', value: 'a' },
      { name: 'X-B', value: 'b' },
    ];
    await world.publish({
      request: { method: 'POST', path: '/', client_address: '192.0.2.1', headers, truncated: false },
    });
    const passed = world.sent.slice(1).map(({ headers: given }) => given[header.passedHeaders]);
    expect(passed).toEqual([undefined, '[["X-A","a"]]']);
  });

  it('has a set without endpoints where nobody gets it: that completes it', async () => {
    const world = createWorld(narrow());
    await world.publish();
    expect(world.sent.map((record) => setOf(record))).toEqual([{ at: startMicros, endpointIds: [] }]);
  });

  it('is published once all of it is acknowledged, and no record waits for another', async () => {
    const world = createWorld(narrow('ep_1', 'ep_2'));
    const acknowledged = Promise.withResolvers<void>();
    world.answer = ({ key }) => (key === 'ep_2' ? acknowledged.promise : undefined);
    let isPublished = false;
    const publishing = world.publish().then(() => (isPublished = true));
    await new Promise(setImmediate);
    expect([world.sent.length, isPublished]).toEqual([3, false]);
    acknowledged.resolve();
    await publishing;
  });

  it('is left to the fan-out consumer as well where Kafka refuses one of its deliveries', async () => {
    const world = createWorld(narrow('ep_1', 'ep_2'));
    world.answer = ({ key }) => key === 'ep_1' && refuse();
    expect(await world.publish()).toBeUndefined();
    const events = world.sent.filter(isEvent);
    expect(events.map((record) => setOf(record) === undefined)).toEqual([false, true]);
    expect(events[1]?.value).toEqual(events[0]?.value);
  });

  it('keeps its id where Kafka refuses the event, with its set and without it: a receiver may have it', async () => {
    const world = createWorld(narrow('ep_1'));
    world.answer = (record) => isEvent(record) && refuse();
    expect(await world.publish()).toMatchObject({ error: { code: 'data_invalid' }, mayBeDelivered: true });
    const without = createWorld(narrow());
    without.answer = refuse;
    expect(await without.publish()).toMatchObject({ mayBeDelivered: false });
  });

  it('throws what is no refusal, once all of its records have come to an end', async () => {
    const world = createWorld(narrow('ep_1', 'ep_2'));
    const last = Promise.withResolvers<void>();
    world.answer = ({ key }) => {
      if (key === 'ep_1') throw new AppError('kafka_unavailable', 'away');
      return key === 'ep_2' ? last.promise : undefined;
    };
    let ended = false;
    const publishing = world.publish().finally(() => (ended = true));
    publishing.catch(() => undefined);
    await new Promise(setImmediate);
    expect(ended).toBe(false);
    last.resolve();
    await expect(publishing).rejects.toMatchObject({ code: 'kafka_unavailable' });
  });
});

describe('a wide event', () => {
  it('is published alone, without a set', async () => {
    const world = createWorld(wide);
    expect(await world.publish({ ordering_key: 'order-1' })).toBeUndefined();
    expect(world.sent).toMatchObject([{ topic: topics.events, key: 'order-1' }]);
    expect(world.sent.map((record) => setOf(record))).toEqual([undefined]);
    expect(world.published).toEqual(['bytes']);
  });

  it('is nowhere where Kafka refuses it, or it can’t be encoded', async () => {
    const world = createWorld(wide);
    world.answer = refuse;
    expect(await world.publish()).toMatchObject({ error: { message: 'too large' }, mayBeDelivered: false });
    const unreadable = createWorld(narrow('ep_1'));
    unreadable.encodeEvent = refuse;
    expect(await unreadable.publish()).toMatchObject({ mayBeDelivered: false });
    expect(unreadable.sent).toEqual([]);
  });
});
