import type { Delivery } from '#lib/contract';
import { isAbandoned, type Job } from './job.ts';
import type { LanePlaces } from './lane-places.ts';

/**
 * The queue of one endpoint, and how much of it is in flight. Fresh deliveries and those that have waited have places of their own and
 * take turns: neither a flood of new ones nor a backlog keeps the other from being sent.
 */
export interface Lane {
  readonly endpoint: { tenant: string; endpointId: string };
  /** False where there is no room for it. */
  offer(job: Job, nowMs: number, places: LanePlaces): boolean;
  /** A place in flight is taken for the next of its queue: until `gaveUp`, or until `ended` for what was taken. */
  began(): void;
  take(): Job | undefined;
  gaveUp(): void;
  ended(): void;
  /** Its endpoint took something. */
  answered(nowMs: number): void;
  answeredAtMs(): number;
  /** Something is queued that has no place yet. */
  wantsPlace(): boolean;
  inFlight(): number;
  queued(): { records: number; rows: number };
  /** Removes what should not wait on: what was abandoned, and what has been queued since `sinceMs` or longer. */
  remove(sinceMs: number): { abandoned: Job[]; late: Job[] };
}

interface Queued {
  job: Job;
  sinceMs: number;
}

export function createLane({ tenant, endpointId }: Pick<Delivery, 'tenant' | 'endpointId'>): Lane {
  const queues: Record<Job['from'], Queued[]> = { record: [], row: [] };
  let bytes = 0;
  let inFlight = 0;
  /** Places in flight whose job is still in the queue. */
  let reserved = 0;
  let answeredAtMs = Number.NEGATIVE_INFINITY;
  let turn: Job['from'] = 'record';

  const sizeOf = (job: Job): number => (job.from === 'record' ? job.delivery.payload.length : 0);

  function hasRoomFor(job: Job, places: LanePlaces): boolean {
    if (job.from === 'row') return queues.row.length < places.rows;
    const { length } = queues.record;
    return length < places.records && (length === 0 || bytes + job.delivery.payload.length <= places.bytes);
  }

  return {
    endpoint: { tenant, endpointId },
    offer(job, nowMs, places) {
      if (!hasRoomFor(job, places)) return false;
      queues[job.from].push({ job, sinceMs: nowMs });
      bytes += sizeOf(job);
      return true;
    },
    began() {
      inFlight += 1;
      reserved += 1;
    },
    take() {
      reserved -= 1;
      const from = queues[turn].length > 0 ? turn : turn === 'record' ? 'row' : 'record';
      const next = queues[from].shift();
      if (next === undefined) return undefined;
      turn = from === 'record' ? 'row' : 'record';
      bytes -= sizeOf(next.job);
      return next.job;
    },
    gaveUp() {
      reserved -= 1;
      inFlight -= 1;
    },
    ended() {
      inFlight -= 1;
    },
    answered: (nowMs) => void (answeredAtMs = nowMs),
    answeredAtMs: () => answeredAtMs,
    wantsPlace: () => queues.record.length + queues.row.length > reserved,
    inFlight: () => inFlight,
    queued: () => ({ records: queues.record.length, rows: queues.row.length }),
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
