import fc from 'fast-check';
import type { Job } from '../../../services/dispatcher/model/job.ts';
import { createLane, type Lane } from '../../../services/dispatcher/lanes/lane.ts';
import { aDelivery, aRecordJob, aRowJob, inOrder, never } from './fixtures.ts';

const places = { records: 100, bytes: 1e6, rows: 100 };
const idsOf = (jobs: readonly Job[]): string[] => jobs.map(({ delivery }) => delivery.id);

/** Jobs are named by their key and their number in it: `a1`. */
const aJob = (name: string, signal: AbortSignal = never): Job =>
  inOrder(aRecordJob({ id: name }, signal), Number(name.slice(1)), name.slice(0, 1));

const lost = AbortSignal.abort();

/** All that it would send now. */
function takeAll(lane: Lane): string[] {
  const taken: Job[] = [];
  while (lane.wantsPlace()) {
    lane.reservePlace();
    const job = lane.take();
    if (job !== undefined) taken.push(job);
  }
  return idsOf(taken);
}

function laneWith(...jobs: Job[]): Lane {
  const lane = createLane(aDelivery());
  for (const [at, job] of jobs.entries()) lane.offer(job, at, places);
  return lane;
}

describe('a lane of deliveries that are in an order', () => {
  it('gives one of each key, and the next when it has ended', () => {
    const lane = laneWith(aJob('a1'), aJob('a2'), aJob('b1'), aRecordJob({ id: 'free' }), aJob('a3'));
    expect(takeAll(lane)).toEqual(['a1', 'b1', 'free']);
    expect(lane.ended(aJob('b1'), 'over')).toEqual([]);
    expect(takeAll(lane)).toEqual([]);
    lane.ended(aJob('a1'), 'over');
    expect(takeAll(lane)).toEqual(['a2']);
    expect([lane.queued().records, lane.inFlight()]).toEqual([1, 2]);
  });

  it('keeps one that has waited and a fresh one of its key apart too', () => {
    const lane = laneWith(inOrder(aRowJob({ id: 'row' }), 1), inOrder(aRecordJob({ id: 'fresh' }), 2));
    expect(takeAll(lane)).toEqual(['row']);
    lane.ended(inOrder(aRowJob({ id: 'row' }), 1), 'over');
    expect(takeAll(lane)).toEqual(['fresh']);
  });

  it('gives back all that stand behind one that waits, in their order, and holds the key for nobody then', () => {
    const lane = laneWith(aJob('a1'), aJob('b1'), aJob('a2'), aJob('b2'), aJob('a3'));
    takeAll(lane);
    expect(idsOf(lane.ended(aJob('a1'), 'waits'))).toEqual(['a2', 'a3']);
    expect(lane.queued().records).toBe(1);
    lane.offer(aJob('a4'), 9, places);
    expect(takeAll(lane)).toEqual(['a4']);
  });

  it('counts those that stand behind others among its places', () => {
    const lane = createLane(aDelivery());
    const offer = (name: string): boolean => lane.offer(aJob(name), 0, { records: 2, bytes: 1e6, rows: 2 });
    expect([offer('a1'), offer('a2'), offer('a3')]).toEqual([true, true, false]);
    takeAll(lane);
    expect([offer('a3'), offer('a4')]).toEqual([true, false]);
  });

  it('is in an order while something of it is queued or in flight that is', () => {
    const lane = laneWith(aRecordJob({ id: 'free' }));
    expect(lane.isOrdered()).toBe(false);
    lane.offer(aJob('a1'), 0, places);
    expect(lane.isOrdered()).toBe(true);
    takeAll(lane);
    expect(lane.isOrdered()).toBe(true);
    lane.ended(aJob('a1'), 'over');
    expect(lane.isOrdered()).toBe(false);
  });

  describe('from which some are removed', () => {
    it('lets go, with one that is abandoned, of those behind it and of none before', () => {
      const lane = laneWith(aJob('a1'), aJob('a2'), aJob('a3', lost), aJob('a4'), aJob('b1'));
      takeAll(lane);
      const { abandoned, late } = lane.remove(Number.NEGATIVE_INFINITY);
      expect([idsOf(abandoned), idsOf(late)]).toEqual([['a3'], ['a4']]);
      lane.ended(aJob('a1'), 'over');
      expect(takeAll(lane)).toEqual(['a2']);
      lane.ended(aJob('a2'), 'over');
      expect(takeAll(lane)).toEqual([]);
    });

    it('lets go of the whole key where its first is', () => {
      const lane = laneWith(aJob('a1', lost), aJob('a2'), aJob('a3'));
      const { abandoned, late } = lane.remove(Number.NEGATIVE_INFINITY);
      expect([idsOf(abandoned), idsOf(late)]).toEqual([['a1'], ['a2', 'a3']]);
      expect([lane.isOrdered(), lane.queued().records]).toEqual([false, 0]);
    });

    it('lets go of those that have been queued for too long, behind one in flight as well', () => {
      const lane = laneWith(aJob('a1'), aJob('a2'), aJob('b1'), aJob('a3'));
      lane.reservePlace();
      lane.take();
      expect(idsOf(lane.remove(2).late).sort()).toEqual(['a2', 'a3', 'b1']);
    });
  });

  it('never has two of a key in flight, nor one before another that was offered sooner, whatever happens', () => {
    const anAct = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('offer' as const), key: fc.constantFrom('a', 'b', 'c') }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('take' as const) }) },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constantFrom('over' as const, 'waits' as const), which: fc.nat(9) }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const), which: fc.nat(9) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), before: fc.nat(40) }) },
    );
    fc.assert(
      fc.property(fc.array(anAct, { maxLength: 60 }), (acts) => {
        const lane = createLane(aDelivery());
        const queued: { job: Job; losing: AbortController }[] = [];
        const inFlight: Job[] = [];
        const leave = (jobs: readonly Job[]): void => {
          for (const job of jobs)
            queued.splice(
              queued.findIndex((one) => one.job === job),
              1,
            );
        };
        for (const [at, act] of acts.entries()) {
          if (act.kind === 'offer') {
            const losing = new AbortController();
            const job = inOrder(aRecordJob({ id: `${act.key}${at}` }, losing.signal), at, act.key);
            expect(lane.offer(job, at, places)).toBe(true);
            queued.push({ job, losing });
          } else if (act.kind === 'take' && lane.wantsPlace()) {
            lane.reservePlace();
            const job = lane.take();
            if (job === undefined) throw new Error('it wanted a place for nothing');
            const ofKey = queued.filter((one) => one.job.order?.key === job.order?.key);
            expect(ofKey[0]?.job).toBe(job);
            expect(inFlight.map(({ order }) => order?.key)).not.toContain(job.order?.key);
            leave([job]);
            inFlight.push(job);
          } else if (act.kind === 'over' || act.kind === 'waits') {
            const [job] = inFlight.splice(act.which, 1);
            if (job === undefined) continue;
            const behind = queued.filter((one) => one.job.order?.key === job.order?.key).map((one) => one.job);
            const removed = lane.ended(job, act.kind);
            expect(removed).toEqual(act.kind === 'waits' ? behind : []);
            leave(removed);
          } else if (act.kind === 'lose') queued[act.which]?.losing.abort();
          else if (act.kind === 'remove') {
            const { abandoned, late } = lane.remove(act.before);
            leave([...abandoned, ...late]);
          }
          expect(lane.queued().records).toBe(queued.length);
        }
        // Nothing stays in the queue for ever.
        for (let left = queued.length; left > 0; left = queued.length) {
          for (const job of inFlight.splice(0)) lane.ended(job, 'over');
          for (const id of takeAll(lane))
            inFlight.push(
              ...queued
                .splice(
                  queued.findIndex(({ job }) => job.delivery.id === id),
                  1,
                )
                .map(({ job }) => job),
            );
          expect(queued.length).toBeLessThan(left);
        }
      }),
      { numRuns: 500 },
    );
  });
});
