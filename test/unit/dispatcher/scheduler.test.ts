import { AppError, createManualClock, silentLogger } from '#lib/runtime';
import { createEndpointHealth } from '../../../services/dispatcher/endpoints/endpoint-health.ts';
import type { Job } from '../../../services/dispatcher/model/job.ts';
import { createScheduler } from '../../../services/dispatcher/lanes/scheduler.ts';
import type { DispatcherShare } from '../../../services/dispatcher/lanes/jobs-in-hand.ts';
import { aDelivery, aDeliveryRecord, aRecordJob, aRowJob, noMetrics, settle } from './fixtures.ts';
import { createWorld, limits, numbered } from './scheduler-world.ts';

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
    expect(started).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'b2']);
  });

  it('refuses what a lane has no room for, by number and by bytes, and takes one payload that is larger than a lane', () => {
    const { offer } = createWorld({ maxInFlight: 1, records: 2, bytes: 100 });
    expect(offer('in flight', 'ep_1', 5_000)).toBe('queued');
    expect(offer('larger than the lane', 'ep_1', 5_000)).toBe('queued');
    expect(offer('more bytes', 'ep_1', 1)).toBe('full');
    expect(['1', '2', '3', '4'].map((id) => offer(id, 'ep_2'))).toEqual(['queued', 'queued', 'queued', 'full']);
  });

  it('queues a burst whole, but lets no lane grow once half of its tenant’s share is used, so that others find some', () => {
    const { offer } = createWorld({ maxInFlight: 1, records: 200, bytes: 1e9, totalRecords: 1_000, totalBytes: 1e9 });
    const fill = (endpointId: string): number => {
      let queued = 0;
      while (offer(`${endpointId} ${queued}`, endpointId) === 'queued') queued += 1;
      return queued;
    };
    const filled = Array.from({ length: 40 }, (_, at) => fill(`ep_${at}`));
    // Each with one that is in flight.
    expect(filled.slice(0, 2)).toEqual([201, 200]);
    // It may have 800.
    expect(filled.slice(2, 38)).toEqual([...Array<number>(36).fill(11)]);
    expect(filled.slice(38)).toEqual([3, 0]);
  });

  it('keeps to the same by bytes', () => {
    const { offer } = createWorld({ maxInFlight: 1, records: 100, bytes: 400, totalRecords: 100, totalBytes: 1_000 });
    expect(['1', '2', '3', '4', '5'].map((id) => offer(id, 'ep_1', 100))).toEqual(Array<string>(5).fill('queued'));
    expect(['1', '2', '3'].map((id) => offer(id, 'ep_2', 20))).toEqual(['queued', 'queued', 'full']);
  });

  it('refuses what a tenant’s lanes together have no room for, until something has ended', async () => {
    const { offer, end, heldBack } = createWorld({ totalRecords: 4, totalBytes: 100 });
    expect(offer('a', 'ep_a', 40)).toBe('queued');
    expect(offer('b', 'ep_b', 56)).toBe('full');
    expect(offer('b', 'ep_b', 35)).toBe('queued');
    expect(offer('c', 'ep_c', 1)).toBe('queued');
    expect(offer('d', 'ep_d', 1)).toBe('full');
    expect(heldBack).toEqual(['queued_bytes', 'queued_deliveries']);
    await end('a');
    expect(offer('d', 'ep_d', 40)).toBe('queued');
  });

  it('has room for another tenant when one has filled its share of places, records, bytes and rows', async () => {
    const { scheduler, offer, offerOf, started } = createWorld({ inFlight: 20, records: 1_000, bytes: 1e9, rows: 100 });
    for (const id of numbered('slow', 2_000)) offer(id, `ep_${id}`);
    const shareOf = (tenant: string, share: DispatcherShare) => new Map(scheduler.usage(share)).get(tenant) ?? 0;
    expect(started).toHaveLength(16);
    expect(shareOf('acme', 'places_in_flight')).toBe(1);
    expect(shareOf('acme', 'queued_deliveries')).toBe(1);
    expect(offerOf('other', 'd1')).toBe('queued');
    expect(started.at(-1)).toBe('d1');
    expect(shareOf('other', 'queued_deliveries')).toBeLessThan(0.05);
    const refusedRows = numbered('row', 200).map((id) => scheduler.offer(aRowJob({ id, endpointId: `ep_${id}` })));
    expect(refusedRows.filter((offered) => offered === 'queued')).toHaveLength(80);
    const { tenants, perTenant } = await scheduler.waitingCapacity();
    expect([tenants, perTenant]).toEqual([[{ tenant: 'acme', room: 0, perLane: 5 }], 15]);
    expect(scheduler.offer(aRowJob({ id: 'row', tenant: 'other' }))).toBe('queued');
    const large = createWorld({ totalBytes: 1_000, bytes: 1e9, records: 100 });
    const fill = () => large.offer(`${large.started.length} ${Math.random()}`, `ep_${Math.random()}`, 100);
    while (fill() === 'queued');
    expect(large.heldBack).toEqual(['queued_bytes']);
    expect(large.offerOf('other', 'd1', 150)).toBe('queued');
  });

  it('keeps places for what has waited, and lets both kinds take turns', async () => {
    const { offer, offerRow, scheduler, started, end } = createWorld({ maxInFlight: 1, records: 3, rows: 2 });
    for (const id of ['f0', 'f1', 'f2', 'f3']) expect(offer(id)).toBe('queued');
    expect(offer('f4')).toBe('full');
    expect(await scheduler.waitingCapacity()).toEqual({
      perLane: 2,
      perTenant: 80,
      lanes: [],
      tenants: [],
      total: 100,
    });
    expect(['r0', 'r1', 'r2'].map((id) => offerRow(id))).toEqual(['queued', 'queued', 'full']);
    expect(await scheduler.waitingCapacity()).toEqual({
      perLane: 2,
      perTenant: 79,
      lanes: [{ tenant: 'acme', endpointId: 'ep_1', room: 0, early: false }],
      tenants: [{ tenant: 'acme', room: 78, perLane: 2 }],
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

  it('looks through ten thousand lanes in turns, with other work between', async () => {
    const { scheduler, clock, offer, parked } = createWorld({ inFlight: 1, totalRecords: 20_000, totalBytes: 1e9 });
    for (const id of numbered('queued', 10_000)) expect(offer(id, `ep_${id}`)).toBe('queued');
    let turns = 0;
    let isRead = false;
    const reading = scheduler.waitingCapacity().finally(() => (isRead = true));
    for (; !isRead; turns += 1) await new Promise(setImmediate);
    expect(turns).toBeGreaterThan(15);
    expect((await reading).lanes).toEqual([]);

    await scheduler.start();
    const parkedByThen = new Set<number>();
    const untilMs = clock.monotonicMs() + 35_000;
    for (; clock.monotonicMs() < untilMs; parkedByThen.add(parked.length)) await clock.advance(10);
    expect(parked).toHaveLength(9_999);
    expect(parkedByThen.size).toBeGreaterThan(15);
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
    job.claims.push(aDeliveryRecord(aDelivery()));
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
      health: createEndpointHealth({
        factsOf: () => ({ maxInFlight: 1, revision: 1, isClosed: false }),
        metrics: noMetrics,
        onClosed: () => undefined,
        clock,
        random: () => 1,
        log: silentLogger,
      }),
      paceOf: () => undefined,
      takePermit: async () => 0,
      holdsMembership: () => true,
      run: async ({ delivery }) => {
        if (delivery.id === 'bad') throw new AppError('bug', 'unforeseen');
        return 'over';
      },
      park: async () => undefined,
      onHeldBack: () => undefined,
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

  it('sends one at a time to an endpoint that could not be reached, and more again as it goes well', async () => {
    const { offer, started, end } = createWorld({ maxInFlight: 3, records: 100 });
    for (const id of numbered('d', 20)) offer(id);
    expect(started).toHaveLength(3);
    await end('d0', 'unreachable');
    await end('d1', 'unreachable');
    expect(started).toHaveLength(3);
    await end('d2', 'unreachable');
    expect(started).toHaveLength(4);
    await end('d3');
    expect(started).toHaveLength(6);
    await end('d4');
    await end('d5');
    expect(started).toHaveLength(9);
  });

  it('a test does not queue behind what its endpoint is slow to take, and takes no place of it', async () => {
    const { scheduler, offer, started, end } = createWorld({ maxInFlight: 2 });
    for (const id of numbered('slow', 4)) offer(id);
    scheduler.offer(aRecordJob({ id: 'test', endpointId: 'ep_1', isUrgent: true }));
    expect(started).toEqual(['slow0', 'slow1', 'test']);
    await end('test');
    expect(started).toEqual(['slow0', 'slow1', 'test']);
    await end('slow0');
    expect(started.at(-1)).toBe('slow2');
  });

  describe('whose endpoint has failed for long enough', () => {
    async function openBreaker(world: ReturnType<typeof createWorld>): Promise<void> {
      const { offer, end, clock } = world;
      for (const id of numbered('down', 4)) {
        offer(id);
        await end(id, 'failed');
      }
      await clock.advance(30_000);
      offer('last straw');
      for (const id of numbered('queued', 3)) offer(id);
      world.offerRow('queued row');
      await end('last straw', 'failed');
      // Begun before, where the lane has two places.
      await end('queued0');
    }
    const roomOf = async ({ scheduler }: ReturnType<typeof createWorld>): Promise<number | undefined> =>
      (await scheduler.waitingCapacity()).lanes.find(({ endpointId }) => endpointId === 'ep_1')?.room;

    it('parks what is queued, lets its rows stand, refuses what comes, and has no room for rows', async () => {
      const world = createWorld({ maxInFlight: 1 });
      await openBreaker(world);
      expect(world.parked).toEqual(numbered('queued', 3));
      expect(world.scheduler.held({ tenant: 'acme', id: 'queued row' })).toBeUndefined();
      expect([world.offer('fresh'), world.offerRow('row')]).toEqual(['full', 'full']);
      expect(await roomOf(world)).toBe(0);
      expect(world.offer('fresh', 'ep_2')).toBe('queued');
    });

    it('probes with one that has waited; with a fresh one only where none is found', async () => {
      const world = createWorld({ maxInFlight: 1 });
      await openBreaker(world);
      await world.clock.advance(1_000);
      expect(await roomOf(world)).toBe(1);
      expect(world.offer('fresh')).toBe('full');
      expect(world.offerRow('probe')).toBe('queued');
      expect(world.started.at(-1)).toBe('probe');
      expect([world.offerRow('beside it'), await roomOf(world)]).toEqual(['full', 0]);
      await world.end('probe', 'failed');
      await world.clock.advance(2_000);
      expect(world.offer('fresh')).toBe('full');
      await world.clock.advance(2_500);
      expect([world.offer('fresh'), world.offer('beside it')]).toEqual(['queued', 'full']);
      expect(world.started.at(-1)).toBe('fresh');
    });

    const aTest = (id: string, endpointId = 'ep_1') => aRecordJob({ id, endpointId, isUrgent: true });

    it('is sent a test at once, which is the probe; what waits comes back behind one that goes well', async () => {
      const world = createWorld({ maxInFlight: 1 });
      await openBreaker(world);
      expect(world.scheduler.offer(aTest('test'))).toBe('queued');
      expect(world.started.at(-1)).toBe('test');
      expect([await roomOf(world), world.offer('fresh')]).toEqual([0, 'full']);
      await world.end('test', 'failed');
      expect(world.scheduler.held({ tenant: 'acme', id: 'test' })).toBeUndefined();
      expect([await roomOf(world), world.offer('fresh')]).toEqual([0, 'full']);
      world.scheduler.offer(aTest('second test'));
      await world.end('second test');
      expect(world.offer('fresh')).toBe('queued');
      expect(world.started.at(-1)).toBe('fresh');
    });

    it('is probed once for each time that somebody asks, whenever the next probe is due', async () => {
      const world = createWorld({ maxInFlight: 1 });
      await openBreaker(world);
      expect(await roomOf(world)).toBe(0);
      world.endpoint.probeAskedAt = 1;
      expect(await roomOf(world)).toBe(1);
      expect(world.offerRow('probe')).toBe('queued');
      expect(world.started.at(-1)).toBe('probe');
      await world.end('probe', 'failed');
      expect([await roomOf(world), world.offerRow('beside it')]).toEqual([0, 'full']);
      world.endpoint.probeAskedAt = 2;
      // None that waits was found.
      expect(world.offer('fresh')).toBe('queued');
      await world.end('fresh');
      expect(world.offerRow('next')).toBe('queued');
    });

    it('is not probed for what was asked before its breaker opened', async () => {
      const world = createWorld({ maxInFlight: 1 });
      world.endpoint.probeAskedAt = 1;
      await openBreaker(world);
      expect(await roomOf(world)).toBe(0);
    });

    it('is sent no test while somebody has paused it', async () => {
      const world = createWorld({ maxInFlight: 1 });
      world.endpoint.isPaused = true;
      expect(world.scheduler.offer(aTest('test'))).toBe('full');
      expect(world.started).toEqual([]);
    });

    it('comes back slowly: one at a time, then more', async () => {
      const world = createWorld({ maxInFlight: 2, records: 100, bytes: 10_000 });
      await openBreaker(world);
      await world.clock.advance(1_000);
      world.offerRow('probe');
      await world.end('probe');
      const before = world.started.length;
      for (const id of numbered('fresh', 4)) expect(world.offer(id)).not.toBe('stopping');
      expect(world.started.length - before).toBe(1);
      for (const id of numbered('fresh', 3)) await world.end(id);
      expect(world.started.slice(before)).toEqual(numbered('fresh', 4));
      await world.end('fresh3');
      const closed = world.started.length;
      for (const id of numbered('more', 4)) world.offer(id);
      expect(world.started.length - closed).toBe(2);
    });

    it('starts anew once a person has changed it, and at once where it was deleted or disabled', async () => {
      const changed = createWorld({ maxInFlight: 1 });
      await openBreaker(changed);
      changed.endpoint.revision = 2;
      expect(changed.offer('fresh')).toBe('queued');
      const closed = createWorld({ maxInFlight: 1 });
      await openBreaker(closed);
      closed.endpoint.isClosed = true;
      expect(closed.offerRow('to be ended')).toBe('queued');
    });
  });

  it('sends nothing to an endpoint that asked to wait, until the time is over, and reads none of its rows', async () => {
    const { clock, scheduler, offer, started, end } = createWorld({ maxInFlight: 1 });
    await scheduler.start();
    for (const id of ['a', 'b']) offer(id);
    offer('other', 'ep_2');
    await end('a', 'wait');
    expect(started).toEqual(['a', 'other']);
    expect((await scheduler.waitingCapacity()).lanes).toContainEqual({
      tenant: 'acme',
      endpointId: 'ep_1',
      room: 0,
      early: false,
    });
    await clock.advance(4_999);
    expect(started).toEqual(['a', 'other']);
    await clock.advance(1);
    expect(started).toEqual(['a', 'other', 'b']);
  });

  describe('with a rate', () => {
    const pace = { perSecond: 1, burst: 2 };

    it('asks for a permit for each send, and waits with all of the lane for as long as there is none', async () => {
      const { clock, offer, started, permits, end } = createWorld({ pace, maxInFlight: 5 });
      offer('a');
      await settle();
      expect(started).toEqual(['a']);
      permits.waitMs = 700;
      offer('b');
      offer('c');
      await settle();
      expect([started, permits.asked.length]).toEqual([['a'], 3]);
      await clock.advance(699);
      expect([started, permits.asked.length]).toEqual([['a'], 3]);
      permits.waitMs = 0;
      await clock.advance(1);
      await settle();
      expect(started).toEqual(['a', 'b', 'c']);
      expect(permits.asked).toHaveLength(5);
      await end('a');
    });

    it('holds no place while it waits: another endpoint is sent to', async () => {
      const { offer, started, permits } = createWorld({ pace, inFlight: 1 });
      permits.waitMs = 60_000;
      offer('a');
      await settle();
      permits.waitMs = 0;
      offer('b', 'ep_2');
      await settle();
      expect(started).toEqual(['b']);
    });

    it('takes in what it will have sent within 30 s, and of rows what it will have sent before they are read again', async () => {
      const { offer, scheduler, permits } = createWorld({ pace, records: 1_000, rows: 100, bytes: 1e9 });
      permits.waitMs = 60_000;
      const answers = Array.from({ length: 40 }, (_, at) => offer(`d${at}`));
      expect(answers.filter((answer) => answer === 'queued')).toHaveLength(32);
      expect((await scheduler.waitingCapacity()).lanes).toEqual([
        { tenant: 'acme', endpointId: 'ep_1', room: 4, early: false },
      ]);
    });
  });
});
