/** Events that dedup publishes together with their deliveries: #lib/fan-out says when. */
import { deserialize } from 'node:v8';
import { type EventRecord, header, parseDelivery, parseEventSet } from '#lib/contract';
import { deliveryIdOf, type MatchNarrow } from '#lib/fan-out';
import type { CrashPointName } from '#lib/runtime';
import { recordOf } from './records.ts';
import { exact, sumUp } from './sum.ts';
import { Crash, createWorker, createWorld, never, refuse, topics, type World } from './world.ts';

const endpointIds = ['ep_1', 'ep_2'];
const matchNarrow: MatchNarrow = () => ({ endpointIds });
const batchOf = () => ['a', 'b', 'a', 'c'].map((id, offset) => recordOf({ id, offset }));
const origins = batchOf().map((_, offset) => `${topics['webhooks.received']}-0-${offset}`);

/** Each event's set has stood on its topic, and so have the deliveries of all sets, and no others. */
function expectWhole({ kafka }: World): void {
  const on = (topic: string) => kafka.written.filter((record) => record.topic === topic);
  const due = on(topics.events).flatMap(({ value, headers }) => {
    const set = parseEventSet(headers as Record<string, string>);
    if (set === undefined || 'malformed' in set) return [];
    return set.endpointIds.map((id) => deliveryIdOf(deserialize(value) as EventRecord, id));
  });
  const written = on(topics.deliveries).map(({ headers, value }) => {
    const delivery = parseDelivery(headers as Record<string, string>, value);
    return 'malformed' in delivery ? delivery.malformed : delivery.id;
  });
  expect(new Set(written)).toEqual(new Set(due));
  expect(new Set(due).size).toBe(2 * new Set(kafka.events().map(({ id }) => id)).size);
}

const points: CrashPointName[] = [
  'dedup.after-claim',
  'dedup.after-insert',
  'publish.after-event',
  'dedup.after-publish',
  'dedup.before-commit',
];

it.each(points)('are whole, under the same ids, after a worker has died at %s', async (point) => {
  const world = createWorld();
  const dying = createWorker(world, { matchNarrow, crashAt: { point } });
  await expect(dying.handle(batchOf(), never)).rejects.toThrow(Crash);
  const again = batchOf();
  await createWorker(world, { matchNarrow }).handle(again, never);
  expect(again.every((record) => record.isDone())).toBe(true);
  expect(sumUp(world.kafka, origins)).toEqual(exact);
  expectWhole(world);
});

// recall, insert, three events and six deliveries, the duplicate, complete, remember
it.each(Array.from({ length: 14 }, (_, index) => index + 1))(
  'are whole after a worker whose call %i to the outside was not made any more',
  async (nth) => {
    const world = createWorld();
    let calls = 0;
    const turn = async (): Promise<void> => {
      calls += 1;
      if (calls >= nth) throw new Crash('dead');
    };
    const died = batchOf();
    await expect(createWorker(world, { matchNarrow, turn }).handle(died, never)).rejects.toThrow('dead');
    expect(died.some((record) => record.isDone())).toBe(false);
    await createWorker(world, { matchNarrow }).handle(batchOf(), never);
    expect(sumUp(world.kafka, origins)).toEqual(exact);
    expectWhole(world);
  },
);

it('are the fan-out consumer’s where the successor takes them for wide: the same ids, without a set', async () => {
  const world = createWorld();
  const dying = createWorker(world, { matchNarrow, crashAt: { point: 'dedup.after-publish' } });
  await expect(dying.handle(batchOf(), never)).rejects.toThrow(Crash);
  await createWorker(world).handle(batchOf(), never);
  const ids = world.kafka.events().map(({ id }) => id);
  expect([ids.length, new Set(ids).size]).toEqual([6, 3]);
});

describe('one that Kafka refuses when its deliveries may be under way', () => {
  const refuseEvents = (world: World): void =>
    void (world.kafka.beforeSend = ({ topic }) => void (topic === topics.events && refuse()));
  const allTries = 60_000;

  it('is a dead letter that keeps its key: another webhook of the key makes no second event', async () => {
    const world = createWorld();
    refuseEvents(world);
    const record = recordOf({ id: 'a', offset: 1 });
    const worker = createWorker(world, { matchNarrow });
    await worker.handle([record], never);
    await world.clock.advance(allTries);
    await worker.idle();
    expect(world.kafka.deadLetters()).toMatchObject([{ stage: 'dedup', reason: 'data_invalid', attempts: 3 }]);
    expect(record.isDone()).toBe(true);

    world.kafka.beforeSend = () => undefined;
    await createWorker(world, { matchNarrow }).handle([recordOf({ id: 'a', offset: 2 })], never);
    expect(world.kafka.events()).toEqual([]);
    const [duplicate] = world.kafka.duplicates();

    // Its replay makes the event that the deliveries and the duplicate are of.
    const origin = String(world.kafka.deadLetters()[0]?.origin);
    const replayed = { ...recordOf({ id: 'a', offset: 1, origin }), offset: 90n };
    await createWorker(world, { matchNarrow }).handle([replayed], never);
    const [event] = world.kafka.events();
    expect([event?.origin, event?.id]).toEqual([origin, duplicate?.event_id]);
    const sent = world.kafka.written.filter(({ topic }) => topic === topics.deliveries);
    expect(new Set(sent.map(({ headers }) => headers[header.eventId]))).toEqual(new Set([event?.id]));
  });

  it('keeps its key where an earlier worker may have sent the deliveries', async () => {
    const world = createWorld();
    refuseEvents(world);
    const dying = createWorker(world, { matchNarrow });
    await dying.handle([recordOf({ id: 'a', offset: 1 })], never);
    // It dies before its next try, and its successor takes the event for wide.
    const successor = createWorker(world);
    await successor.handle([recordOf({ id: 'a', offset: 1 })], never);
    await world.clock.advance(allTries);
    await successor.idle();
    world.kafka.beforeSend = () => undefined;
    await createWorker(world).handle([recordOf({ id: 'a', offset: 2 })], never);
    expect(world.kafka.events()).toEqual([]);
  });
});
