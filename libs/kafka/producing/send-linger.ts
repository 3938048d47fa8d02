import { createArrivalRate, gatherTimeMs } from '../arrival-rate.ts';
import type { OutgoingRecord } from '../port.ts';

/** How long a record that is sent now waits for others that go to the same leader: alone, and the first after quiet, not at all. */
export interface SendLinger {
  /** @param leaders the number of leaders that share the records about evenly */
  next(record: Pick<OutgoingRecord, 'lingerMs'>, leaders: number, nowMs: number): number;
}

// A linger costs a timer, and so one turn of the event loop per request. It pays off if it gathers one more record, or half a record if
// nobody waits; the larger a request is, the less another record saves.
const leastExpected = { awaited: 1, unawaited: 0.5 };
const enoughRecords = 8;

/** @param lingerMs the default of records */
export function createSendLinger(lingerMs: number): SendLinger {
  const rate = createArrivalRate();
  return {
    next(record, leaders, nowMs) {
      const ratePerMs = rate.perMs(nowMs) / Math.max(1, leaders);
      rate.came(1, nowMs);
      const least = record.lingerMs === undefined ? leastExpected.awaited : leastExpected.unawaited;
      return gatherTimeMs(ratePerMs, { mostMs: record.lingerMs ?? lingerMs, least, enough: enoughRecords });
    },
  };
}
