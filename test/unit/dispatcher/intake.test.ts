import { createManualClock } from '#lib/clock';
import { AppError } from '#lib/errors';
import { createIntake } from '../../../services/dispatcher/intake.ts';
import type { Job } from '../../../services/dispatcher/job.ts';
import { createRecentSteps } from '../../../services/dispatcher/recent-steps.ts';
import { aDelivery, aDeliveryRecord, anEndpoint, aRecord, aRecordJob, aRowJob, never } from './fixtures.ts';

function createWorld(options: { answer?: 'queued' | 'full' | 'stopping'; known?: string[]; held?: Job } = {}) {
  const { answer = 'queued', known = ['ep_1'], held } = options;
  const offered: Job[] = [];
  const parked: Job[] = [];
  const malformed: unknown[] = [];
  const directory = { refreshes: 0, failure: undefined as AppError | undefined };
  const recentSteps = createRecentSteps(createManualClock());
  const intake = createIntake({
    directory: {
      get: (_tenant, id) => (known.includes(id) ? anEndpoint({ id }) : undefined),
      ofTenant: () => [],
      ageMs: () => 0,
      refresh: async () => {
        directory.refreshes += 1;
        if (directory.failure !== undefined) throw directory.failure;
      },
    },
    scheduler: { offer: (job) => (offered.push(job), answer), held: () => held },
    recentSteps,
    outcomes: {
      parked: async (job) => void parked.push(job),
      malformed: async (record) => void malformed.push(record),
    },
  });
  return { intake, offered, parked, malformed, directory, recentSteps };
}

describe('the intake', () => {
  it('offers each delivery to its lane, as its first step, and leaves its record to whoever ends it', async () => {
    const { intake, offered, parked } = createWorld();
    const record = aDeliveryRecord(aDelivery());
    await intake([record], never);
    expect(offered).toEqual([
      { from: 'record', delivery: aDelivery(), step: 1, attempts: 0, claims: [{ record, signal: never }] },
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

  it('is done with a delivery whose first step was lately written', async () => {
    const { intake, offered, recentSteps } = createWorld();
    recentSteps.remember(aDelivery(), 1);
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
    expect(held.claims.map(({ record }) => record)).toContain(again);
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
});
