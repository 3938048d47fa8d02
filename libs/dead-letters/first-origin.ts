import { header } from '#lib/contract';
import { type IncomingRecord, originOf } from '#lib/kafka';

/** The position of a record, or the one where it first stood, if it was replayed. */
export const firstOriginOf = (record: IncomingRecord): string => record.headers[header.origin] || originOf(record);
