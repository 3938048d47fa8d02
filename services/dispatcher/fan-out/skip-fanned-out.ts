import { isForAnother, parseEventSet } from '#lib/contract';
import type { IncomingRecord, RecordHandler } from '#lib/kafka';

/**
 * Ends records of `events` that there is nothing to do for, by their headers alone, without decoding or tracing them: most events were fanned out
 * when they were published, and what was replayed for another stage is not for this one. The handler gets the others, if there are any.
 */
export function skipFannedOut(handle: RecordHandler): RecordHandler {
  return async (records, signal) => {
    const open: IncomingRecord[] = [];
    for (const record of records) {
      if (isDone(record)) record.done();
      else open.push(record);
    }
    if (open.length > 0) await handle(open, signal);
  };
}

function isDone({ headers }: IncomingRecord): boolean {
  const set = parseEventSet(headers);
  return isForAnother(headers, 'fan-out') || (set !== undefined && !('malformed' in set));
}
