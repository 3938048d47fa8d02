import type { IncomingRecord } from '#lib/kafka';
import { AppError, createManualClock, silentLogger } from '#lib/runtime';
import { createIntake } from '../../../services/dispatcher/intake/intake.ts';
import { deliveryKey, type Job } from '../../../services/dispatcher/model/job.ts';
import type { TakenRecord } from '../../../services/dispatcher/ordered/ordered-intake.ts';
import { createOwnedPartitions } from '../../../services/dispatcher/model/owned-partitions.ts';
import { createRecentSteps } from '../../../services/dispatcher/model/recent-steps.ts';
import {
  aDelivery,
  aDeliveryRecord,
  anEndpoint,
  aRecord,
  aRecordJob,
  aRowJob,
  never,
  noLag,
  secondMicros,
  startMicros,
} from './fixtures.ts';

interface Options {
  answer?: 'queued' | 'full' | 'stopping';
  known?: string[];
  held?: Job;
  /** Endpoints that are sent to in an order. */
  ordered?: string[];
  /** Ids of deliveries that the tables know an outcome of. */
  withOutcome?: string[];
  erased?: 'event' | 'tenant';
}

function createWorld(options: Options = {}) {
  const { answer = 'queued', known = ['ep_1'], ordered: orderedIds = [], held, withOutcome = [], erased } = options;
  const ended: unknown[] = [];
  const dropped: string[] = [];
  const clock = createManualClock();
  const owned = createOwnedPartitions(clock);
  owned.assigned([{ topic: 'deliveries', partition: 0 }]);
  const lookUp = { questions: [] as string[][], failure: undefined as AppError | undefined };
  const offered: Job[] = [];
  const parked: Job[] = [];
  const malformed: unknown[] = [];
  const ordered: { records: readonly IncomingRecord[]; inOrder: readonly TakenRecord[] }[] = [];
  const directory = { refreshes: 0, failure: undefined as AppError | undefined };
  const recentSteps = createRecentSteps(clock);
  const intake = createIntake({
    erased: {
      among: async (events) => new Set(erased === undefined ? [] : events),
      hasTenant: () => erased === 'tenant',
    },
    onDropped: (tenant) => void dropped.push(tenant),
    directory: {
      get: (_tenant, id) => (known.includes(id) ? anEndpoint({ id, ordered: orderedIds.includes(id) }) : undefined),
      recent: () => undefined,
      refresh: async () => {
        directory.refreshes += 1;
        if (directory.failure !== undefined) throw directory.failure;
      },
    },
    scheduler: { offer: (job) => (offered.push(job), answer), held: () => held },
    recentSteps,
    lag: noLag,
    knownDeliveries: {
      among: async (deliveries) => {
        lookUp.questions.push(deliveries.map(({ id }) => id));
        if (lookUp.failure !== undefined) throw lookUp.failure;
        return new Set(deliveries.filter(({ id }) => withOutcome.includes(id)).map(deliveryKey));
      },
    },
    orderedIntake: { push: async (records, inOrder) => void ordered.push({ records, inOrder }) },
    owned,
    clock,
    log: silentLogger,
    outcomes: {
      parked: async (job) => void parked.push(job),
      ended: async (_job, end) => void ended.push(end),
      malformed: async (record) => void malformed.push(record),
    },
  });
  return { intake, ended, dropped, offered, parked, ordered, malformed, directory, recentSteps, lookUp, clock };
}

describe('the intake', () => {
  it.each(['ep_1', 'ep_ordered'])(
    'ends deliveries of erased events, and drops those of a deleted tenant: %s',
    async (id) => {
      const delivery = aDelivery({ endpointId: id, orderingKey: 'k' });
      const known = { known: ['ep_1', 'ep_ordered'], ordered: ['ep_ordered'] };
      const ofEvent = createWorld({ ...known, erased: 'event' });
      await ofEvent.intake([aDeliveryRecord(delivery)], never);
      expect(ofEvent.ended).toEqual([{ status: 'cancelled', reason: 'event_erased' }]);
      const ofTenant = createWorld({ ...known, erased: 'tenant' });
      await ofTenant.intake([aDeliveryRecord(delivery)], never);
      expect([ofTenant.ended, ofTenant.dropped]).toEqual([[], [delivery.tenant]]);
      for (const { offered, ordered } of [ofEvent, ofTenant])
        expect([offered, ordered.flatMap(({ inOrder }) => inOrder)]).toEqual([[], []]);
    },
  );

  it('offers each delivery to its lane, as its first step, and leaves its record to whoever ends it', async () => {
    const { intake, offered, parked } = createWorld();
    const record = aDeliveryRecord(aDelivery());
    await intake([record], never);
    expect(offered).toEqual([
      {
        from: 'record',
        delivery: aDelivery(),
        order: undefined,
        step: 1,
        attempts: 0,
        claims: [record],
      },
    ]);
    expect(parked).toEqual([]);
    expect(record.isDone()).toBe(false);
  });

  it('parks what finds no room, and does not come back before that is written', async () => {
    const { intake, parked, offered } = createWorld({ answer: 'full' });
    await intake([aDeliveryRecord(aDelivery())], never);
    expect(parked).toEqual(offered);
  });

  it('leaves to the successor what comes while it stops', async () => {
    const { intake, parked } = createWorld({ answer: 'stopping' });
    const record = aDeliveryRecord(aDelivery());
    await intake([record], never);
    expect([parked.length, record.isDone()]).toEqual([0, false]);
  });

  it('buries what is no delivery', async () => {
    const { intake, malformed, offered } = createWorld();
    const bad = aRecord();
    await intake([bad, aDeliveryRecord(aDelivery())], never);
    expect(malformed).toEqual([bad]);
    expect(offered).toHaveLength(1);
  });

  it('buries a forged id without a look at the tables, which would refuse it: a NUL in one once ended the process, again and again', async () => {
    const { intake, malformed, offered, lookUp } = createWorld();
    const forged = [
      { tenant: 'a\0' },
      { id: 'dlv_\0' },
      { eventId: '\0' },
      { endpointId: 'ep_\0' },
      { id: 'a'.repeat(9_000) },
    ];
    const bad = forged.map((given) => aDeliveryRecord(aDelivery(given)));
    await intake([...bad, aDeliveryRecord(aDelivery())], never);
    expect(malformed).toEqual(bad);
    expect(lookUp.questions.flat()).not.toContain('dlv_\0');
    expect(offered).toHaveLength(1);
  });

  it('is done with a delivery whose first step was lately written', async () => {
    const { intake, offered, recentSteps } = createWorld();
    recentSteps.remember(aDelivery(), 1, 'parked');
    const record = aDeliveryRecord(aDelivery());
    await intake([record], never);
    expect([offered.length, record.isDone()]).toEqual([0, true]);
  });

  it('adds a record that comes again to the job that has its delivery in hand, instead of sending twice', async () => {
    const held = aRecordJob();
    const { intake, offered } = createWorld({ held });
    const again = aDeliveryRecord(aDelivery(), 5n);
    await intake([again], never);
    expect(offered).toEqual([]);
    expect(held.claims).toContain(again);
    expect(again.isDone()).toBe(false);
  });

  it('is done with a record whose delivery has come back from the table: what it was read for is written', async () => {
    const { intake, offered } = createWorld({ held: aRowJob() });
    const again = aDeliveryRecord(aDelivery());
    await intake([again], never);
    expect([offered.length, again.isDone()]).toEqual([0, true]);
  });

  it('reads the endpoints again before one is taken for unknown, once for a batch', async () => {
    const { intake, offered, directory } = createWorld({ known: [] });
    await intake([aDeliveryRecord(aDelivery()), aDeliveryRecord(aDelivery({ id: 'dlv_2' }))], never);
    expect(directory.refreshes).toBe(1);
    expect(offered).toHaveLength(2);
  });

  it('parks what it can’t judge while Postgres is away, and goes on with the others', async () => {
    const { intake, offered, parked, directory } = createWorld({ known: ['ep_1'] });
    directory.failure = new AppError('store_unavailable', 'away');
    await intake(
      [aDeliveryRecord(aDelivery({ id: 'dlv_2', endpointId: 'ep_new' })), aDeliveryRecord(aDelivery())],
      never,
    );
    expect(parked.map(({ delivery }) => delivery.endpointId)).toEqual(['ep_new']);
    expect(offered.map(({ delivery }) => delivery.endpointId)).toEqual(['ep_1']);
  });

  it('is done with what an earlier owner may have had, where the tables know what came of it', async () => {
    const { intake, offered, lookUp } = createWorld({ withOutcome: ['dlv_1'] });
    const [done, open] = [aDeliveryRecord(aDelivery()), aDeliveryRecord(aDelivery({ id: 'dlv_2' }))];
    await intake([done, open], never);
    expect(lookUp.questions).toEqual([['dlv_1', 'dlv_2']]);
    expect([done.isDone(), open.isDone()]).toEqual([true, false]);
    expect(offered.map(({ delivery }) => delivery.id)).toEqual(['dlv_2']);
  });

  it('does not ask for what was created after its partition came here, two clocks’ difference included', async () => {
    const { intake, offered, lookUp } = createWorld();
    const after = aDelivery({ createdAt: startMicros + 60 * secondMicros });
    await intake([aDeliveryRecord(after)], never);
    expect([lookUp.questions.length, offered.length]).toEqual([0, 1]);
    await intake([aDeliveryRecord({ ...after, id: 'dlv_2', createdAt: after.createdAt - 1 })], never);
    expect(lookUp.questions).toEqual([['dlv_2']]);
  });

  it('sends it, at least once, while Postgres is away, and does not ask again for a while', async () => {
    const { intake, offered, lookUp, clock } = createWorld({ withOutcome: ['dlv_1', 'dlv_2', 'dlv_3'] });
    lookUp.failure = new AppError('store_unavailable', 'away');
    await intake([aDeliveryRecord(aDelivery())], never);
    await intake([aDeliveryRecord(aDelivery({ id: 'dlv_2' }))], never);
    expect(offered).toHaveLength(2);
    expect(lookUp.questions).toEqual([['dlv_1']]);
    lookUp.failure = undefined;
    await clock.advance(5_000);
    await intake([aDeliveryRecord(aDelivery({ id: 'dlv_3' }))], never);
    expect(offered).toHaveLength(2);
  });

  it('hands on what is in an order, with all records of the batch, and takes in the others itself', async () => {
    const { intake, offered, ordered, lookUp } = createWorld({ known: ['ep_1', 'ep_2'], ordered: ['ep_1'] });
    const records = [
      aDeliveryRecord(aDelivery({ orderingKey: 'k' }), 1n),
      aDeliveryRecord(aDelivery({ id: 'without key' }), 2n),
      aDeliveryRecord(aDelivery({ id: 'not ordered', endpointId: 'ep_2', orderingKey: 'k' }), 3n),
      aRecord({ offset: 4n }),
    ];
    await intake(records, never);
    expect(ordered.map(({ inOrder }) => inOrder.map(({ delivery }) => delivery.id))).toEqual([['dlv_1']]);
    expect(ordered[0]?.records).toEqual(records);
    expect(offered.map(({ delivery }) => delivery.id)).toEqual(['without key', 'not ordered']);
    expect(lookUp.questions).toEqual([['without key', 'not ordered']]);
  });

  it('tells of each batch how far it goes, though nothing of it is in an order', async () => {
    const { intake, ordered } = createWorld();
    const records = [aDeliveryRecord(aDelivery())];
    await intake(records, never);
    expect(ordered).toEqual([{ records, inOrder: [] }]);
  });

  it('takes for ordered what may be, while Postgres is away: what has a key, of an endpoint that is not known', async () => {
    const { intake, ordered, parked, directory } = createWorld();
    directory.failure = new AppError('store_unavailable', 'away');
    const delivery = aDelivery({ endpointId: 'ep_new' });
    await intake(
      [aDeliveryRecord(delivery), aDeliveryRecord({ ...delivery, id: 'dlv_2', orderingKey: 'k' }, 1n)],
      never,
    );
    expect(parked.map((job) => job.delivery.id)).toEqual(['dlv_1']);
    expect(ordered[0]?.inOrder.map((taken) => taken.delivery.id)).toEqual(['dlv_2']);
  });
});
