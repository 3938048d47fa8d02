import { createManualClock, type ManualClock } from '#lib/clock';
import { AppError } from '#lib/errors';
import type { Job, RecordJob } from '../../../services/dispatcher/job.ts';
import { createScheduler, type SchedulerLimits } from '../../../services/dispatcher/scheduler.ts';
import { aRecordJob, aRowJob, settle } from './fixtures.ts';

const limits: SchedulerLimits = {
  inFlight: 100,
  records: 5,
  bytes: 1_000,
  rowPlaces: 3,
  totalRecords: 1_000,
  totalBytes: 1_000_000,
  totalRowPlaces: 100,
};

/** Sends last until the test ends them. */
function createWorld(overrides: Partial<SchedulerLimits> & { maxInFlight?: number } = {}) {
  const { maxInFlight = 2, ...changed } = overrides;
  const clock: ManualClock = createManualClock();
  const started: string[] = [];
  const parked: string[] = [];
  const failures: Error[] = [];
  const ends = new Map<string, () => void>();
  const parkEnds = new Map<string, () => void>();
  let holdParks = false;
  let givenUp = false;
  const scheduler = createScheduler({
    limits: { ...limits, ...changed },
    clock,
    maxInFlightOf: () => maxInFlight,
    run(job) {
      started.push(job.delivery.id);
      return new Promise((resolve) => ends.set(job.delivery.id, resolve));
    },
    async park(job: RecordJob) {
      parked.push(job.delivery.id);
      if (holdParks) await new Promise<void>((resolve) => parkEnds.set(job.delivery.id, resolve));
    },
    onFailure: (error) => failures.push(error),
    giveUp: () => (givenUp = true),
    drainMs: 10_000,
  });
  return {
    clock,
    scheduler,
    started,
    parked,
    failures,
    givenUp: () => givenUp,
    holdParks: () => (holdParks = true),
    endPark: (id: string) => (parkEnds.get(id)?.(), settle()),
    end: async (id: string) => {
      ends.get(id)?.();
      await settle();
    },
    offer: (id: string, endpointId = 'ep_1', size = 10) =>
      scheduler.offer(aRecordJob({ id, endpointId, payload: Buffer.alloc(size) })),
    offerRow: (id: string, endpointId = 'ep_1') => scheduler.offer(aRowJob({ id, endpointId })),
  };
}

const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`);

describe('the scheduler', () => {
  it('sends as many at once to an endpoint as it takes, then one for each that ends', async () => {
    const { offer, started, end } = createWorld({ maxInFlight: 2 });
    for (const id of ['a', 'b', 'c', 'd']) expect(offer(id)).toBe('queued');
    expect(started).toEqual(['a', 'b']);
    await end('b');
    expect(started).toEqual(['a', 'b', 'c']);
    await end('a');
    await end('c');
    expect(started).toEqual(['a', 'b', 'c', 'd']);
  });

  it('holds no endpoint up for another that hangs', async () => {
    const { offer, started, end } = createWorld({ maxInFlight: 2, records: 100 });
    for (const id of numbered('hanging', 50)) offer(id, 'ep_hanging');
    for (const id of numbered('healthy', 20)) {
      offer(id, 'ep_healthy');
      expect(started.at(-1)).toBe(id);
      await end(id);
    }
    expect(started.filter((id) => id.startsWith('hanging'))).toEqual(['hanging0', 'hanging1']);
  });

  it('gives lanes turns, one job each, where all together have reached the cap', async () => {
    const { offer, started, end } = createWorld({ inFlight: 1, maxInFlight: 10, records: 100 });
    for (const id of numbered('a', 3)) offer(id, 'ep_a');
    for (const id of numbered('b', 3)) offer(id, 'ep_b');
    offer('c0', 'ep_c');
    for (let sent = 0; sent < 6; sent += 1) await end(started[sent] ?? '');
    expect(started).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'b2']);
  });

  it('refuses what a lane has no room for, by number and by bytes, and takes one payload that is larger than a lane', () => {
    const { offer } = createWorld({ maxInFlight: 1, records: 2, bytes: 100 });
    expect(offer('in flight', 'ep_1', 5_000)).toBe('queued');
    expect(offer('larger than the lane', 'ep_1', 5_000)).toBe('queued');
    expect(offer('more bytes', 'ep_1', 1)).toBe('full');
    expect(['1', '2', '3', '4'].map((id) => offer(id, 'ep_2'))).toEqual(['queued', 'queued', 'queued', 'full']);
  });

  it('queues a burst whole, but lets no lane grow once half of all room is used, so that others find some', () => {
    const { offer } = createWorld({ maxInFlight: 1, records: 200, bytes: 1e9, totalRecords: 1_000, totalBytes: 1e9 });
    const fill = (endpointId: string): number => {
      let queued = 0;
      while (offer(`${endpointId} ${queued}`, endpointId) === 'queued') queued += 1;
      return queued;
    };
    const filled = Array.from({ length: 40 }, (_, at) => fill(`ep_${at}`));
    // Each with one that is in flight.
    expect(filled.slice(0, 3)).toEqual([201, 201, 99]);
    expect(filled.slice(3)).toEqual(Array<number>(37).fill(11));
  });

  it('keeps to the same by bytes', () => {
    const { offer } = createWorld({ maxInFlight: 1, records: 100, bytes: 400, totalRecords: 100, totalBytes: 1_000 });
    expect(['1', '2', '3', '4', '5'].map((id) => offer(id, 'ep_1', 100))).toEqual(Array<string>(5).fill('queued'));
    expect(['1', '2', '3'].map((id) => offer(id, 'ep_2', 20))).toEqual(['queued', 'queued', 'full']);
  });

  it('refuses what all lanes together have no room for, until something has ended', async () => {
    const { offer, end } = createWorld({ totalRecords: 3, totalBytes: 100 });
    expect(offer('a', 'ep_a', 40)).toBe('queued');
    expect(offer('b', 'ep_b', 61)).toBe('full');
    expect(offer('b', 'ep_b', 40)).toBe('queued');
    expect(offer('c', 'ep_c', 1)).toBe('queued');
    expect(offer('d', 'ep_d', 1)).toBe('full');
    await end('a');
    expect(offer('d', 'ep_d', 40)).toBe('queued');
  });

  it('keeps places for what has waited, and lets both kinds take turns', async () => {
    const { offer, offerRow, scheduler, started, end } = createWorld({ maxInFlight: 1, records: 3, rowPlaces: 2 });
    for (const id of ['f0', 'f1', 'f2', 'f3']) expect(offer(id)).toBe('queued');
    expect(offer('f4')).toBe('full');
    expect(scheduler.rowRoom()).toEqual({ perLane: 2, lanes: [], total: 100 });
    expect(['r0', 'r1', 'r2'].map((id) => offerRow(id))).toEqual(['queued', 'queued', 'full']);
    expect(scheduler.rowRoom()).toEqual({
      perLane: 2,
      lanes: [{ tenant: 'acme', endpointId: 'ep_1', room: 0 }],
      total: 98,
    });
    for (let sent = 0; sent < 5; sent += 1) await end(started[sent] ?? '');
    expect(started).toEqual(['f0', 'r0', 'f1', 'r1', 'f2', 'f3']);
  });

  it('parks what found no place within 30 s, and forgets a row that found none: it stands in its table', async () => {
    const { scheduler, clock, offer, offerRow, parked, started } = createWorld({ maxInFlight: 1 });
    await scheduler.start();
    offer('hangs');
    offer('late');
    offerRow('late row');
    await clock.advance(15_000);
    offer('not yet late');
    await clock.advance(14_000);
    expect(parked).toEqual([]);
    await clock.advance(2_000);
    expect(parked).toEqual(['late']);
    expect(scheduler.held({ tenant: 'acme', id: 'late row' })).toBeUndefined();
    expect(scheduler.held({ tenant: 'acme', id: 'not yet late' })).toBeDefined();
    expect(started).toEqual(['hangs']);
  });

  it('has a delivery in hand until its parking is written', async () => {
    const { scheduler, clock, offer, holdParks, endPark } = createWorld({ maxInFlight: 1 });
    await scheduler.start();
    holdParks();
    offer('hangs');
    offer('late');
    await clock.advance(31_000);
    expect(scheduler.held({ tenant: 'acme', id: 'late' })).toBeDefined();
    await endPark('late');
    expect(scheduler.held({ tenant: 'acme', id: 'late' })).toBeUndefined();
  });

  it('sends nothing of a partition that is lost, and lets what is in flight end', async () => {
    const { scheduler, started, end, offer } = createWorld({ maxInFlight: 1 });
    const lost = new AbortController();
    const job = (id: string): Job => aRecordJob({ id }, lost.signal);
    scheduler.offer(job('in flight'));
    scheduler.offer(job('queued'));
    scheduler.offer(aRowJob({ id: 'queued row' }, { signal: lost.signal }));
    offer('of another partition');
    lost.abort();
    await end('in flight');
    expect(started).toEqual(['in flight', 'of another partition']);
    expect(scheduler.held({ tenant: 'acme', id: 'queued' })).toBeUndefined();
  });

  it('lets go of what was lost though nothing ends in its lane', async () => {
    const { scheduler, clock, parked, offer } = createWorld({ maxInFlight: 1 });
    await scheduler.start();
    const lost = new AbortController();
    offer('hangs');
    scheduler.offer(aRecordJob({ id: 'queued' }, lost.signal));
    lost.abort();
    await clock.advance(1_000);
    expect(scheduler.held({ tenant: 'acme', id: 'queued' })).toBeUndefined();
    expect(parked).toEqual([]);
  });

  it('sends a delivery after all that was handed out again before its turn', async () => {
    const { scheduler, started, end } = createWorld({ maxInFlight: 1 });
    const lost = new AbortController();
    const job = aRecordJob({ id: 'handed out again' }, lost.signal);
    scheduler.offer(aRecordJob({ id: 'first' }));
    scheduler.offer(job);
    lost.abort();
    job.claims.push({ record: aRecordJob().claims[0]!.record, signal: new AbortController().signal });
    await end('first');
    expect(started).toEqual(['first', 'handed out again']);
  });

  it('at its stop parks what is queued, lets rows go, waits for what is in flight, and takes nothing more', async () => {
    const { scheduler, offer, offerRow, parked, started, end } = createWorld({ maxInFlight: 1 });
    await scheduler.start();
    offer('in flight');
    offer('queued');
    offerRow('row');
    let stopped = false;
    const stop = scheduler.stop().then(() => (stopped = true));
    await settle();
    expect(offer('too late', 'ep_2')).toBe('stopping');
    expect(parked).toEqual(['queued']);
    expect(stopped).toBe(false);
    await end('in flight');
    await stop;
    expect(started).toEqual(['in flight']);
  });

  it('gives up what is in flight at the end of its time', async () => {
    const { scheduler, clock, offer, givenUp } = createWorld();
    await scheduler.start();
    offer('hangs');
    const stop = scheduler.stop();
    await settle();
    await clock.advance(9_999);
    expect(givenUp()).toBe(false);
    await clock.advance(1);
    await stop;
    expect(givenUp()).toBe(true);
  });

  it('tells of a failure that nobody foresaw, and goes on', async () => {
    const clock = createManualClock();
    const failures: Error[] = [];
    const scheduler = createScheduler({
      limits: { ...limits, inFlight: 1 },
      clock,
      maxInFlightOf: () => 1,
      run: async ({ delivery }) => {
        if (delivery.id === 'bad') throw new AppError('bug', 'unforeseen');
      },
      park: async () => undefined,
      onFailure: (error) => failures.push(error),
      giveUp: () => undefined,
      drainMs: 1_000,
    });
    scheduler.offer(aRecordJob({ id: 'bad' }));
    scheduler.offer(aRecordJob({ id: 'good' }));
    await settle();
    expect(failures).toMatchObject([{ code: 'bug' }]);
    expect(scheduler.held({ tenant: 'acme', id: 'good' })).toBeUndefined();
  });
});
