import type { Delivery } from '#lib/contract';
import { isAbandoned, type Job } from './job.ts';

/**
 * The queue of one endpoint, and how much of it is in flight. Fresh deliveries and those that have waited have places of their own and
 * take turns: neither a flood of new ones nor a backlog keeps the other from being sent.
 */
export interface Lane {
  readonly endpoint: { tenant: string; endpointId: string };
  /** False where there is no room for it. `crowded`: all lanes together have used half of their room. */
  offer(job: Job, nowMs: number, crowded: boolean): boolean;
  /** The next to be sent; it is in flight until `ended`. */
  take(): Job | undefined;
  ended(): void;
  inFlight(): number;
  queued(): number;
  /** Places that are free for deliveries that have waited. */
  rowRoom(): number;
  /** Removes what should not wait on: what was abandoned, and what has been queued since `sinceMs` or longer. */
  remove(sinceMs: number): { abandoned: Job[]; late: Job[] };
}

export interface LaneLimits {
  /** Fresh deliveries that are queued, at the most. */
  records: number;
  /** The same in bytes of payload; one alone may be larger. */
  bytes: number;
  /** Deliveries that have waited. */
  rowPlaces: number;
}

/**
 * What a lane may queue once it is crowded. A burst for one endpoint is best queued whole; but endpoints that hang fill their lanes too,
 * and must leave room for those that do not.
 */
const shareWhenCrowded = 1 / 20;

interface Queued {
  job: Job;
  sinceMs: number;
}

export function createLane({ tenant, endpointId }: Pick<Delivery, 'tenant' | 'endpointId'>, limits: LaneLimits): Lane {
  const queues: Record<Job['from'], Queued[]> = { record: [], row: [] };
  let bytes = 0;
  let inFlight = 0;
  let turn: Job['from'] = 'record';

  const sizeOf = (job: Job): number => (job.from === 'record' ? job.delivery.payload.length : 0);

  function hasRoomFor(job: Job, crowded: boolean): boolean {
    if (job.from === 'row') return queues.row.length < limits.rowPlaces;
    const { length } = queues.record;
    const share = crowded ? shareWhenCrowded : 1;
    const fits = length < limits.records * share && bytes + job.delivery.payload.length <= limits.bytes * share;
    return fits || length === 0;
  }

  return {
    endpoint: { tenant, endpointId },
    offer(job, nowMs, crowded) {
      if (!hasRoomFor(job, crowded)) return false;
      queues[job.from].push({ job, sinceMs: nowMs });
      bytes += sizeOf(job);
      return true;
    },
    take() {
      const from = queues[turn].length > 0 ? turn : turn === 'record' ? 'row' : 'record';
      const next = queues[from].shift();
      if (next === undefined) return undefined;
      turn = from === 'record' ? 'row' : 'record';
      bytes -= sizeOf(next.job);
      inFlight += 1;
      return next.job;
    },
    ended() {
      inFlight -= 1;
    },
    inFlight: () => inFlight,
    queued: () => queues.record.length + queues.row.length,
    rowRoom: () => limits.rowPlaces - queues.row.length,
    remove(sinceMs) {
      const removed: { abandoned: Job[]; late: Job[] } = { abandoned: [], late: [] };
      for (const from of ['record', 'row'] as const) {
        queues[from] = queues[from].filter((queued) => {
          const list = isAbandoned(queued.job)
            ? removed.abandoned
            : queued.sinceMs <= sinceMs
              ? removed.late
              : undefined;
          if (list === undefined) return true;
          list.push(queued.job);
          bytes -= sizeOf(queued.job);
          return false;
        });
      }
      return removed;
    },
  };
}
