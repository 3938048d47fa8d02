import { AppError, createManualClock, createWaitOut, silentLogger } from '#lib/runtime';
import type { Endpoint } from '../../../services/dispatcher/model/endpoint.ts';
import type { Job, RecordJob } from '../../../services/dispatcher/model/job.ts';
import { createOrderedIntake, type TakenRecord } from '../../../services/dispatcher/ordered/ordered-intake.ts';
import { orderingKeyOf } from '../../../services/dispatcher/model/ordering.ts';
import type { AskedDelivery, Place } from '../../../services/dispatcher/ordered/ordered-table.ts';
import { createRecentSteps } from '../../../services/dispatcher/model/recent-steps.ts';
import * as fixtures from './fixtures.ts';

const { aDelivery, aDeliveryRecord, anEndpoint, aRecordJob, aRowJob, settle } = fixtures;

const free: Place = { blocked: false, known: false };

function createWorld() {
  const clock = createManualClock();
  const recentSteps = createRecentSteps(clock);
  const world = {
    endpoints: new Map<string, Endpoint>([['ep_1', anEndpoint({ ordered: true })]]),
    /** The result of a reading of the endpoints. */
    news: [] as Endpoint[],
    away: undefined as AppError | undefined,
    asked: [] as AskedDelivery[][],
    placeOf: (_asked: AskedDelivery): Place => free,
    /** Hooks that hold up an answer. */
    beforePlaces: async (): Promise<void> => undefined,
    beforeParked: async (): Promise<void> => undefined,
    answer: (_job: Job): 'queued' | 'full' | 'stopping' => 'queued',
    held: new Map<string, Job>(),
    offered: [] as RecordJob[],
    parked: [] as Job[],
    upTo: [] as bigint[],
    failures: [] as Error[],
  };
  const intake = createOrderedIntake({
    directory: {
      get: (_tenant, id) => world.endpoints.get(id),
      refresh: async () => {
        if (world.away !== undefined) throw world.away;
        for (const endpoint of world.news) world.endpoints.set(endpoint.id, endpoint);
      },
    },
    scheduler: {
      offer(job) {
        const answer = world.answer(job);
        if (job.from === 'record' && answer === 'queued') world.offered.push(job);
        return answer;
      },
      held: ({ id }) => world.held.get(id),
    },
    recentSteps,
    outcomes: {
      async parked(job) {
        world.parked.push(job);
        await world.beforeParked();
      },
    },
    orderedRows: {
      async placesOf(asked, isWanted) {
        world.asked.push([...asked]);
        await world.beforePlaces();
        if (!isWanted()) throw new AppError('stopped', 'no longer wanted');
        return asked.map((one) => world.placeOf(one));
      },
    },
    owned: { markTakenBelow: (_partition, offset, signal) => void (signal.aborted || world.upTo.push(offset)) },
    waitOut: createWaitOut({ clock, log: silentLogger }),
    onFailure: (error) => world.failures.push(error),
  });
  return { clock, world, intake, recentSteps };
}

/** `a1` is of key `a`, at offset 1. */
function aTaken(
  name: string,
  { endpointId = 'ep_1', signal = fixtures.never, partition = 0 }: TakenOptions = {},
): TakenRecord & { record: fixtures.FakeRecord } {
  const delivery = aDelivery({ id: name, orderingKey: name.slice(0, 1), endpointId });
  return { delivery, record: { ...aDeliveryRecord(delivery, BigInt(name.slice(1)), signal), partition } };
}

interface TakenOptions {
  endpointId?: string;
  signal?: AbortSignal;
  partition?: number;
}

const recordsOf = (taken: readonly TakenRecord[]) => taken.map(({ record }) => record);
const names = (jobs: readonly Job[]): string[] => jobs.map(({ delivery }) => delivery.id);

describe('the intake of what is in an order', () => {
  let created: ReturnType<typeof createWorld>;
  beforeEach(() => (created = createWorld()));
  const push = (taken: readonly TakenRecord[]): Promise<void> => created.intake.push(recordsOf(taken), taken);

  it('sends from its record what has no row of its key before it, with its place in the order', async () => {
    const { world } = created;
    const taken = aTaken('a7');
    await push([taken]);
    await settle();
    const key = orderingKeyOf({ ordered: true }, taken.delivery);
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(world.offered).toMatchObject([{ step: 1, attempts: 0, order: { key, sequence: 7n, partition: 0 } }]);
    expect(world.asked).toMatchObject([[{ id: 'a7', endpointId: 'ep_1', order: { key } }]]);
    expect([taken.record.isDone(), world.parked]).toEqual([false, []]);
  });

  it('parks behind its rows what is blocked, and leaves other keys alone', async () => {
    const { world } = created;
    world.placeOf = ({ id }) => ({ blocked: id.startsWith('a'), known: false });
    await push(['a1', 'b2', 'a3'].map((name) => aTaken(name)));
    await settle();
    expect([names(world.offered), names(world.parked)]).toEqual([['b2'], ['a1', 'a3']]);
  });

  it('parks behind one that found no room in its lane all that come after it, though there would be room for them', async () => {
    const { world } = created;
    world.answer = ({ delivery }) => (delivery.id === 'a1' ? 'full' : 'queued');
    await push(['a1', 'a2', 'b3', 'a4'].map((name) => aTaken(name)));
    await settle();
    expect([names(world.offered), names(world.parked)]).toEqual([['b3'], ['a1', 'a2', 'a4']]);
  });

  it('is done with what the table knows, what was lately done, and what is in hand as a row', async () => {
    const { world, recentSteps } = created;
    world.placeOf = ({ id }) => ({ blocked: true, known: id === 'a1' });
    recentSteps.remember({ tenant: 'acme', id: 'b2' }, 1, 'delivered');
    world.held.set('c3', aRowJob({ id: 'c3' }));
    const taken = ['a1', 'b2', 'c3'].map((name) => aTaken(name));
    await push(taken);
    await settle();
    expect(taken.map(({ record }) => record.isDone())).toEqual([true, true, true]);
    expect([world.offered, world.parked]).toEqual([[], []]);
  });

  it('adds a record that comes again to the job that has it in hand', async () => {
    const { world } = created;
    const held = aRecordJob({ id: 'a1' });
    world.held.set('a1', held);
    const again = aTaken('a1');
    await push([again]);
    await settle();
    expect(held.claims).toContain(again.record);
    expect(world.offered).toEqual([]);
  });

  it('does not bring back to life what was left behind when the partition was lost, once rows of its key were written elsewhere', async () => {
    const { world } = created;
    const abandoned = aRecordJob({ id: 'a1' }, AbortSignal.abort());
    world.held.set('a1', abandoned);
    world.placeOf = () => ({ blocked: true, known: false });
    await push([aTaken('a1')]);
    await settle();
    expect([abandoned.claims.length, names(world.parked)]).toEqual([1, ['a1']]);
    world.placeOf = () => free;
    await push([aTaken('a1')]);
    await settle();
    expect(abandoned.claims).toHaveLength(2);
  });

  it('leaves undone, for the successor, what comes at the stop', async () => {
    const { world } = created;
    world.answer = () => 'stopping';
    const taken = aTaken('a1');
    await push([taken]);
    await settle();
    expect([taken.record.isDone(), world.parked]).toEqual([false, []]);
  });

  it('tells how far it has come once the rows are durable, up to the last record of the batch, whatever that is', async () => {
    const { world } = created;
    const durable = Promise.withResolvers<void>();
    world.beforeParked = () => durable.promise;
    world.placeOf = () => ({ blocked: true, known: false });
    const taken = aTaken('a4');
    const records = [taken.record, aDeliveryRecord(aDelivery({ id: 'free' }), 9n)];
    await created.intake.push(records, [taken]);
    await settle();
    expect(world.upTo).toEqual([]);
    durable.resolve();
    await settle();
    expect(world.upTo).toEqual([10n]);
  });

  it('takes one batch after the other, and waits for none: those without an order are told of in their turn', async () => {
    const { world } = created;
    const answered = Promise.withResolvers<void>();
    world.beforePlaces = () => answered.promise;
    await push([aTaken('a1')]);
    await created.intake.push([aDeliveryRecord(aDelivery(), 2n)], []);
    await push([aTaken('a3')]);
    await settle();
    expect([world.asked.length, world.upTo]).toEqual([1, []]);
    answered.resolve();
    await settle();
    expect(world.asked.map((batch) => batch.map(({ id }) => id))).toEqual([['a1'], ['a3']]);
    expect(world.upTo).toEqual([2n, 3n, 4n]);
    expect(names(world.offered)).toEqual(['a1', 'a3']);
  });

  it('pauses its partition, and no other, while two thousand wait', async () => {
    const { world } = created;
    const answered = Promise.withResolvers<void>();
    world.beforePlaces = () => answered.promise;
    const batch = (count: number, options: TakenOptions = {}) =>
      Array.from({ length: count }, (_, at) => aTaken(`a${at}`, options));
    const { signal } = new AbortController();
    await push(batch(1_999));
    let hasRoom = false;
    const pausing = push(batch(1)).then(() => (hasRoom = true));
    await push(batch(1_999, { signal }));
    await settle();
    expect(hasRoom).toBe(false);
    answered.resolve();
    await pausing;
    await settle();
    expect(world.offered).toHaveLength(2_000 + 1_999);
  });

  it('takes each partition of a call by itself', async () => {
    const { world } = created;
    const other = { signal: new AbortController().signal, partition: 1 };
    await push([aTaken('a1'), aTaken('b8', other), aTaken('b9', other)]);
    await settle();
    expect(world.asked.map((batch) => batch.map(({ id }) => id))).toEqual([['a1'], ['b8', 'b9']]);
    expect(world.upTo).toEqual([2n, 10n]);
  });

  it('gives up where its partition is lost: nothing is taken in, and nothing said of it', async () => {
    const { world } = created;
    const lost = new AbortController();
    const answered = Promise.withResolvers<void>();
    world.beforePlaces = () => answered.promise;
    await push([aTaken('a1', lost)]);
    await push([aTaken('a2', lost)]);
    lost.abort();
    answered.resolve();
    await settle();
    expect([world.offered, world.parked, world.upTo, world.failures]).toEqual([[], [], [], []]);
  });

  it('tells of a failure that nobody foresaw, and not that it has come so far', async () => {
    const { world } = created;
    world.beforePlaces = () => Promise.reject(new AppError('data_invalid', 'refused'));
    await push([aTaken('a1')]);
    await settle();
    expect([world.failures, world.upTo]).toMatchObject([[{ code: 'data_invalid' }], []]);
  });

  it('waits, with what its endpoint is unknown of, until that can be told, and then holds nothing to an order that has none', async () => {
    const { world, clock } = created;
    world.away = new AppError('store_unavailable', 'away');
    world.news = [anEndpoint({ id: 'ep_new' })];
    await push([aTaken('a1', { endpointId: 'ep_new' })]);
    await clock.advance(60_000);
    expect(world.asked).toEqual([]);
    world.away = undefined;
    await clock.advance(10_000);
    expect(world.offered).toMatchObject([{ delivery: { id: 'a1' }, order: undefined }]);
  });
});
