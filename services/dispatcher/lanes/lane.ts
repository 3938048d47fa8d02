import type { Delivery } from '#lib/contract';
import { isAbandoned, type Job } from '../model/job.ts';
import type { LanePlaces } from './lane-places.ts';

/**
 * The queue of one endpoint, and its deliveries in flight. Fresh deliveries and rows have separate places and take turns, so that neither a
 * flood of new ones nor a backlog blocks the other.
 *
 * Only the first ordered delivery of each key takes part; the others wait behind it until it has ended. They must be offered in their
 * order. If one leaves the lane without an end, all behind it leave too.
 */
export interface Lane {
  readonly endpoint: { tenant: string; endpointId: string };
  /** False: the lane has no room for it. */
  offer(job: Job, nowMs: number, places: LanePlaces): boolean;
  /** Reserves a place in flight for the next job of the queue: until `releasePlace`, or until that job has `ended`. */
  reservePlace(): void;
  take(): Job | undefined;
  releasePlace(): void;
  /** The job has ended, or waits elsewhere: then those behind it are removed and returned. */
  ended(job: Job | undefined, how: 'over' | 'waits'): Job[];
  /** The endpoint took something. */
  answered(nowMs: number): void;
  answeredAtMs(): number;
  /** A queued job could be sent and has no place yet. */
  wantsPlace(): boolean;
  /** Some of its deliveries are ordered. */
  isOrdered(): boolean;
  inFlight(): number;
  queued(): { records: number; rows: number };
  /** Removes abandoned jobs, and those queued since `sinceMs` or earlier. */
  remove(sinceMs: number): { abandoned: Job[]; late: Job[] };
}

interface Queued {
  job: Job;
  sinceMs: number;
}

export function createLane({ tenant, endpointId }: Pick<Delivery, 'tenant' | 'endpointId'>): Lane {
  /** Jobs that could be sent now. */
  const ready: Record<Job['from'], Queued[]> = { record: [], row: [] };
  /** Jobs that wait behind the ready or in-flight one, by ordering key. */
  const behind = new Map<string, Queued[]>();
  const queued: Record<Job['from'], number> = { record: 0, row: 0 };
  let bytes = 0;
  let inFlight = 0;
  /** Places in flight whose jobs are still in the queue. */
  let reserved = 0;
  let answeredAtMs = Number.NEGATIVE_INFINITY;
  let turn: Job['from'] = 'record';

  const sizeOf = (job: Job): number => (job.from === 'record' ? job.delivery.payload.length : 0);

  function hasRoomFor(job: Job, places: LanePlaces): boolean {
    if (job.from === 'row') return queued.row < places.rows;
    const waiting = queued.record;
    return waiting < places.records && (waiting === 0 || bytes + job.delivery.payload.length <= places.bytes);
  }

  function count(job: Job, by: 1 | -1): void {
    queued[job.from] += by;
    bytes += by * sizeOf(job);
  }

  function place(entry: Queued): void {
    const { order, from } = entry.job;
    const others = order && behind.get(order.key);
    if (others !== undefined) others.push(entry);
    else {
      ready[from].push(entry);
      if (order !== undefined) behind.set(order.key, []);
    }
  }

  /** The first of the key has ended: the next may go. */
  function advance(key: string): void {
    const [next, ...others] = behind.get(key) ?? [];
    behind.delete(key);
    if (next === undefined) return;
    ready[next.job.from].push(next);
    behind.set(key, others);
  }

  /** The first of the key has left, so those behind it leave too. */
  function dissolve(key: string): Job[] {
    const others = behind.get(key) ?? [];
    behind.delete(key);
    return others.map(({ job }) => job);
  }

  return {
    endpoint: { tenant, endpointId },
    offer(job, nowMs, places) {
      if (!hasRoomFor(job, places)) return false;
      place({ job, sinceMs: nowMs });
      count(job, 1);
      return true;
    },
    reservePlace() {
      inFlight += 1;
      reserved += 1;
    },
    take() {
      reserved -= 1;
      const from = ready[turn].length > 0 ? turn : turn === 'record' ? 'row' : 'record';
      const next = ready[from].shift();
      if (next === undefined) return undefined;
      turn = from === 'record' ? 'row' : 'record';
      count(next.job, -1);
      return next.job;
    },
    releasePlace() {
      reserved -= 1;
      inFlight -= 1;
    },
    ended(job, how) {
      inFlight -= 1;
      if (job?.order === undefined) return [];
      if (how === 'over') {
        advance(job.order.key);
        return [];
      }
      const others = dissolve(job.order.key);
      for (const other of others) count(other, -1);
      return others;
    },
    answered: (nowMs) => void (answeredAtMs = nowMs),
    answeredAtMs: () => answeredAtMs,
    wantsPlace: () => ready.record.length + ready.row.length > reserved,
    isOrdered: () => behind.size > 0,
    inFlight: () => inFlight,
    queued: () => ({ records: queued.record, rows: queued.row }),
    remove(sinceMs) {
      const removed: { abandoned: Job[]; late: Job[] } = { abandoned: [], late: [] };
      const isToGo = ({ job, sinceMs: since }: Queued): boolean => isAbandoned(job) || since <= sinceMs;
      const go = (job: Job): void => {
        count(job, -1);
        removed[isAbandoned(job) ? 'abandoned' : 'late'].push(job);
      };
      for (const others of behind.values()) {
        const first = others.findIndex(isToGo);
        if (first !== -1) for (const { job } of others.splice(first)) go(job);
      }
      for (const from of ['record', 'row'] as const) {
        const leaving = ready[from].filter(isToGo);
        if (leaving.length > 0) ready[from] = ready[from].filter((entry) => !isToGo(entry));
        for (const { job } of leaving) {
          go(job);
          if (job.order !== undefined) dissolve(job.order.key).forEach(go);
        }
      }
      return removed;
    },
  };
}
