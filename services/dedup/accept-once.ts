import type { Clock } from '#lib/clock';
import { header } from '#lib/contract';
import { isAppError } from '#lib/errors';
import type { IncomingRecord, RecordHandler } from '#lib/kafka';
import type { Logger } from '#lib/log';
import { traceIdOf } from '#lib/telemetry';
import { type Item, originOfRecord, readItem } from './item.ts';
import type { DedupMetrics } from './metrics.ts';
import type { Publisher } from './publisher.ts';
import type { SetAside } from './set-aside.ts';
import type { Settle } from './settle.ts';

interface Deps {
  settle: Settle;
  setAside: Pick<SetAside, 'take'>;
  publisher: Pick<Publisher, 'deadLetter'>;
  metrics: DedupMetrics;
  clock: Clock;
  log: Logger;
}

/** The handler of `webhooks.received`: settles a batch, sets aside records whose data fails, dead-letters unreadable ones. */
export function createAcceptOnce({ settle, setAside, publisher, metrics, clock, log }: Deps): RecordHandler {
  const bury = async (record: IncomingRecord, problem: string, signal: AbortSignal): Promise<void> => {
    await publisher.deadLetter(record, { reason: 'malformed_record', attempts: 1 }, signal);
    const origin = originOfRecord(record, record.headers[header.origin]);
    const traceId = traceIdOf(record.headers[header.traceparent]);
    log.error({ event: 'record.dead_lettered', reason: 'malformed_record', origin, problem, traceId });
    record.span?.fail('malformed_record');
    metrics.deadLettered('malformed_record');
    metrics.ended('failed');
    record.done();
  };

  return async (records, signal) => {
    const startedAtMs = clock.monotonicMs();
    try {
      const items: Item[] = [];
      for (const record of records) {
        const item = await readItem(record);
        if ('malformed' in item) await bury(record, item.malformed, signal);
        else items.push(item);
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
