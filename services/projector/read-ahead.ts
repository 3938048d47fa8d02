import type { IncomingRecord } from '#lib/kafka';
import type { Fact } from './facts.ts';
import type { Reading, RecordReader } from './read-record.ts';

export interface ReadAhead {
  /** As the reader does, once for each record. */
  read: RecordReader;
  /** Whether somebody waits for this record. Never rejects. */
  isAwaited(record: IncomingRecord): Promise<boolean>;
}

/** Reads records that are held back, to know whether they may be; what was read is kept until they are handed out. */
export function createReadAhead(read: RecordReader, isAwaited: (fact: Fact) => boolean): ReadAhead {
  const readings = new WeakMap<IncomingRecord, Reading>();
  return {
    read: async (record) => readings.get(record) ?? read(record),
    async isAwaited(record) {
      try {
        const reading = await read(record);
        readings.set(record, reading);
        return 'fact' in reading && isAwaited(reading.fact);
      } catch {
        // Told when it is handed out: it is read again.
        return false;
      }
    },
  };
}
