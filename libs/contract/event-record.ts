/** A record of `events`: Avro, deploy/kafka/schemas/events.avsc; its key is the event id, or the ordering key. */
export interface EventRecord {
  id: string;
  tenant: string;
  source_id: string;
  /** The sender's own identifier, made printable (see dedup); null where the event is known by its body alone. */
  event_id: string | null;
  type: string;
  receipt_id: string;
  /** topic-partition-offset of the received record. */
  origin: string;
  /** Microseconds since the epoch. */
  received_at: number;
  /** The key under which dedup knows the event: 16 bytes, see libs/dedup-store. */
  dedup_key: Buffer;
  content_type: string;
  http_headers: Record<string, string>;
  ordering_key: string | null;
  payload: Buffer;
}
