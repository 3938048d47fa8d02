/** A record of `duplicates`: JSON; its key is the dedup key in hex. One per received record that was no event of its own. */
export interface DuplicateRecord {
  tenant: string;
  source_id: string;
  receipt_id: string;
  /** topic-partition-offset of the received record: the duplicate is counted once by it, however often this record is written. */
  origin: string;
  received_at: number;
  /** Hex. */
  dedup_key: string;
  /**
   * The event that has the key. Null where Redis alone was asked, which keeps the id's end only: then it is the event of this key with that end.
   * A whole id may be of an event that was never published, because its record became a dead letter: then it is another event of the key.
   */
  event_id: string | null;
  /** The last two characters of the event's id. */
  event_id_end: string;
  /** Hex: the first 8 bytes of the body's SHA-256. */
  body_hash: string;
  /** True where the same identifier came with another body. By the event's id end alone (`event_id` null) one such body in 10,000 is missed. */
  changed: boolean;
  /** The sender's address; null or absent where it is not known: in records from before. */
  client_address?: string | null;
}

export const duplicateToJson = (record: DuplicateRecord): Buffer => Buffer.from(JSON.stringify(record));

export function parseDuplicate(value: Buffer): DuplicateRecord | { malformed: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value.toString());
  } catch (error) {
    return { malformed: `not JSON: ${(error as Error).message}` };
  }
  const record = parsed as Partial<Record<keyof DuplicateRecord, unknown>> | null;
  const texts = ['tenant', 'source_id', 'receipt_id', 'origin', 'dedup_key', 'event_id_end', 'body_hash'] as const;
  const missing = texts.find((name) => typeof record?.[name] !== 'string');
  if (missing !== undefined) return { malformed: `${missing} is not a string` };
  if (record?.event_id !== null && typeof record?.event_id !== 'string')
    return { malformed: 'event_id is not a string' };
  if (!Number.isSafeInteger(record?.received_at)) return { malformed: 'received_at is not a time in microseconds' };
  if (typeof (record?.client_address ?? '') !== 'string') return { malformed: 'client_address is not a string' };
  if (typeof record?.changed !== 'boolean') return { malformed: 'changed is not true or false' };
  return parsed as DuplicateRecord;
}
