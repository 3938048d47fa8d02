import type { Clock } from '#lib/clock';
import type { BuryRecord } from '#lib/dead-letters';
import { isAppError } from '#lib/errors';
import type { RecordHandler } from '#lib/kafka';
import type { Logger } from '#lib/log';
import { type Item, readItem } from './item.ts';
import type { DedupMetrics } from './metrics.ts';
import type { SetAside } from './set-aside.ts';
import type { Settle } from './settle.ts';

interface Deps {
  settle: Settle;
  setAside: Pick<SetAside, 'take'>;
  buryRecord: BuryRecord;
  metrics: DedupMetrics;
  clock: Clock;
  log: Logger;
}

/** The handler of `webhooks.received`: settles a batch, sets aside records whose data fails, dead-letters unreadable ones. */
export function createAcceptOnce({ settle, setAside, buryRecord, metrics, clock, log }: Deps): RecordHandler {
  return async (records, signal) => {
    const startedAtMs = clock.monotonicMs();
    try {
      const items: Item[] = [];
      for (const record of records) {
        const item = await readItem(record);
        if (!('malformed' in item)) {
          items.push(item);
          continue;
        }
        const logged = { problem: item.malformed };
        await buryRecord(record, { reason: 'malformed_record', attempts: 1, logged }, signal);
        metrics.ended('failed');
      }
      const culprits = await settle(items, signal);
      log.debug({
        event: 'batch.settled',
        records: records.length,
        malformed: records.length - items.length,
        setAside: culprits.length,
        ms: Math.round(clock.monotonicMs() - startedAtMs),
      });
      await setAside.take(culprits);
    } catch (error) {
      // The partition has another owner, or the service stops: undone records come again.
      if (!isAppError(error, 'stopped')) throw error;
    }
  };
}
