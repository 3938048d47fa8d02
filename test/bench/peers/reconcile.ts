import type { TrafficRecord } from './traffic/job.ts';

/** The outcomes of a run's events, and their times in ms. */
export interface Reconciled {
  published: number;
  acknowledged: number;
  /** Events at endpoints, each once. */
  arrived: number;
  /** Acknowledged, and not there at an endpoint when the run was over. */
  lost: number;
  /** Arrivals beyond the first of an event at an endpoint. */
  twice: number;
  /** Arrived, but never acknowledged to the sender. */
  unacknowledged: number;
  toAcknowledgment: number[];
  /** For acknowledged events; an arrival before the acknowledgment counts as 0. */
  toArrival: number[];
  fromDueToArrival: number[];
}

type Records = Pick<TrafficRecord, 'published' | 'dueAt' | 'acknowledgedAt' | 'arrivedAt' | 'repeats'>;

/** @param hanging the number of first endpoints that hang; their arrivals don't count */
export function reconcile({ published, dueAt, acknowledgedAt, arrivedAt, repeats }: Records, hanging = 0): Reconciled {
  const toAcknowledgment: number[] = [];
  const toArrival: number[] = [];
  const fromDueToArrival: number[] = [];
  let [arrived, lost, unacknowledged] = [0, 0, 0];
  for (let number = 0; number < published; number += 1) {
    const [due = 0, acknowledged = 0] = [dueAt[number], acknowledgedAt[number]];
    if (acknowledged > 0) toAcknowledgment.push(acknowledged - due);
    for (const atEndpoint of arrivedAt.slice(hanging)) {
      const at = atEndpoint[number] ?? 0;
      if (at > 0) arrived += 1;
      if (at === 0 && acknowledged > 0) lost += 1;
      if (at > 0 && acknowledged === 0) unacknowledged += 1;
      if (at === 0 || acknowledged === 0) continue;
      toArrival.push(Math.max(0, at - acknowledged));
      fromDueToArrival.push(at - due);
    }
  }
  const acknowledged = toAcknowledgment.length;
  return {
    published,
    acknowledged,
    arrived,
    lost,
    twice: repeats,
    unacknowledged,
    toAcknowledgment,
    toArrival,
    fromDueToArrival,
  };
}
