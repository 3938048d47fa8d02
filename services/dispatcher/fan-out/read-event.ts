import { type EventRecord, parseEventSet, problemOfEvent } from '#lib/contract';
import type { BuryRecord } from '#lib/dead-letters';
import type { IncomingRecord } from '#lib/kafka';
import { AppError, isAppError, type WaitOut } from '#lib/runtime';

/** Undefined for a record that is no event: its dead letter is written by then. */
export type ReadEvent = (record: IncomingRecord, signal: AbortSignal) => Promise<EventRecord | undefined>;

interface Deps {
  decodeEvent(bytes: Buffer): Promise<EventRecord>;
  waitOut: WaitOut;
  buryEvent: BuryRecord;
}

export const createReadEvent =
  ({ decodeEvent, waitOut, buryEvent }: Deps): ReadEvent =>
  async (record, signal) => {
    try {
      const event = await waitOut(() => decodeEvent(record.value), signal);
      const problem = problemOfEvent(event) ?? problemOfSet(record);
      if (problem !== undefined) throw new AppError('data_invalid', problem);
      return event;
    } catch (error) {
      if (!isAppError(error, 'data_invalid')) throw error;
      await buryEvent(record, { reason: 'malformed_record', attempts: 0, logged: { err: error } }, signal);
      return undefined;
    }
  };

/** All readers of `events` ask the same, so that they agree which records are events. A sound set does not come here: skip-fanned-out.ts. */
function problemOfSet({ headers }: IncomingRecord): string | undefined {
  const set = parseEventSet(headers);
  return set !== undefined && 'malformed' in set ? set.malformed : undefined;
}
