import { createArrivalRate, gatherTimeMs } from '../arrival-rate.ts';
import type { OutgoingRecord } from '../port.ts';

/** How long a record that is sent now waits for others that go to the same leader: alone, and the first after quiet, not at all. */
export interface SendLinger {
  /** @param leaders whom the records are divided among, about evenly */
  next(record: Pick<OutgoingRecord, 'lingerMs'>, leaders: number, nowMs: number): number;
}

// A linger is a timer, and so one more turn of the event loop for each request. It takes another record within it to be worth that, or half of one
// where nobody waits; and the more there are in a request, the less one more saves.
const leastExpected = { awaited: 1, unawaited: 0.5 };
const enoughRecords = 8;

/** @param lingerMs of records that say nothing else */
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
