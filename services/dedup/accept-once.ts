import type { BuryRecord } from '#lib/dead-letters';
import type { ErasedEvents } from '#lib/erasure';
import type { RecordHandler } from '#lib/kafka';
import type { LagReport } from '#lib/lag';
import { type Clock, isAppError, type Logger, type WaitOut } from '#lib/runtime';
import { type Item, readItem } from './item.ts';
import type { DedupMetrics } from './metrics.ts';
import type { SetAside } from './set-aside.ts';
import type { SettleApart } from './settle-apart.ts';

interface Deps {
  settle: SettleApart['settle'];
  setAside: Pick<SetAside, 'take'>;
  buryRecord: BuryRecord;
  erased: Pick<ErasedEvents, 'among' | 'hasTenant'>;
  onDropped(tenant: string): void;
  lag: LagReport;
  waitOut: WaitOut;
  metrics: DedupMetrics;
  clock: Clock;
  log: Logger;
}

/**
 * The handler of `webhooks.received`: settles a batch, sets aside records whose data fails, dead-letters unreadable ones. A record that has become
 * an event which was erased is not published again, and one of a deleted tenant is dropped. It returns when everything is published; records
 * are done once their rows are completed, a little later.
 */
export function createAcceptOnce(deps: Deps): RecordHandler {
  const { settle, setAside, buryRecord, metrics, clock, log } = deps;

  /** Without those, whose records are ended. */
  async function withoutErased(items: readonly Item[], signal: AbortSignal): Promise<readonly Item[]> {
    const dated = items.map((item) => {
      const { tenant, eventId: event_id, receivedAt: since } = item.candidate;
      return { tenant, event_id, since, item };
    });
    const found = await deps.waitOut(() => deps.erased.among(dated), signal);
    if (found.size === 0) return items;
    for (const { tenant, item } of found) {
      if (deps.erased.hasTenant(tenant)) deps.onDropped(tenant);
      metrics.ended('erased');
      item.record.done();
    }
    return dated.filter((one) => !found.has(one)).map(({ item }) => item);
  }

  return async (records, signal) => {
    const startedAtMs = clock.monotonicMs();
    try {
      const read: Item[] = [];
      for (const record of records) {
        const item = await readItem(record);
        if (!('malformed' in item)) {
          read.push(item);
          continue;
        }
        const logged = { problem: item.malformed };
        await buryRecord(record, { reason: 'malformed_record', attempts: 1, logged }, signal);
        metrics.ended('failed');
      }
      const items = await withoutErased(read, signal);
      for (const { webhook, record } of items)
        // One that was written again was received long ago.
        if (webhook.origin === null) deps.lag.note({ ...webhook, partition: record.partition });
      const culprits = await settle(items, signal);
      if (log.isOn('debug'))
        log.debug({
          event: 'batch.settled',
          records: records.length,
          malformed: records.length - read.length,
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
