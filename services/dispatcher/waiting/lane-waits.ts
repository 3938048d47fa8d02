/**
 * When a waiting delivery could have been sent first: it was due, and its lane had room for it. While an endpoint's breaker is open, or it
 * takes less than there is for it, its rows wait for their endpoint and not for us, and how late a retry is says nothing of the dispatcher.
 *
 * A lane that gave all the room that it had when the table was read may have more due. Where the reading as a whole was full, lanes were not:
 * what was left out then is late by our doing.
 */
import type { WaitingCapacity } from '../lanes/waiting-capacity.ts';
import { type EndpointRef, laneKey } from '../model/job.ts';
import type { DueRow } from './waiting-table.ts';

export interface LaneWaits {
  /** In microseconds. For rows of a reading, asked before `read` is called with that reading. */
  readyAt(row: EndpointRef & Pick<DueRow, 'dueAt'>): number;
  /** The table was read: for this room, with these rows found. */
  read(room: Pick<WaitingCapacity, 'perLane' | 'lanes' | 'tenants'>, found: readonly EndpointRef[]): void;
}

/** A lane that has not been full for so long has no rows left from then. */
const keptMicros = 3_600_000_000;

export function createLaneWaits(nowMicros: () => number): LaneWaits {
  const fullAt = new Map<string, number>();
  return {
    readyAt: (row) => Math.max(row.dueAt, fullAt.get(laneKey(row)) ?? Number.NEGATIVE_INFINITY),
    read({ perLane, lanes, tenants }, found) {
      const now = nowMicros();
      const roomOf = new Map(lanes.map((lane) => [laneKey(lane), lane.room]));
      const perLaneOf = new Map(tenants.map((of) => [of.tenant, of.perLane]));
      const takenBy = Map.groupBy(found, laneKey);
      for (const [key, room] of roomOf) if (room === 0) fullAt.set(key, now);
      for (const [key, taken] of takenBy) {
        const room = roomOf.get(key) ?? perLaneOf.get(taken[0]?.tenant ?? '') ?? perLane;
        if (taken.length >= room) fullAt.set(key, now);
      }
      for (const [key, at] of fullAt) if (at < now - keptMicros) fullAt.delete(key);
    },
  };
}
