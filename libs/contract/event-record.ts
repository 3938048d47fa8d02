import { maxPayloadBytes } from './payload-limit.ts';
import { isInstant, isName, isShortText } from './record-text.ts';
import { isTagName, isTagValue, type Tags } from './tags.ts';
import type { EventRequest } from './webhook-request.ts';

/** A record of `events`: Avro, schemas/events.avsc; its key is the event id, or the ordering key. */
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
  /** That of the payload, as the sender wrote it; null where there is none. */
  content_encoding: string | null;
  http_headers: Readonly<Record<string, string>>;
  ordering_key: string | null;
  payload: Buffer;
  /** Null: it did not come by HTTP, or is from before this field. */
  request: EventRequest | null;
  tags: Tags;
}

/**
 * The reason why a record that can be decoded is no event; undefined if it is one. Every reader of `events` asks this function, so that all
 * agree.
 */
export function problemOfEvent(event: EventRecord): string | undefined {
  const { id, tenant, type, content_type, content_encoding, ordering_key, received_at, payload, tags } = event;
  if (!isName(id)) return 'id is not valid';
  if (!isName(tenant)) return 'tenant is not valid';
  if (!isInstant(received_at)) return 'received_at is not a time in microseconds';
  if (!isShortText(type)) return 'type is too long';
  if (!isShortText(content_type)) return 'content_type is too long';
  if (content_encoding !== null && !isShortText(content_encoding)) return 'content_encoding is too long';
  if (ordering_key !== null && !isShortText(ordering_key)) return 'ordering_key is too long';
  for (const name in tags) if (!isTagName(name) || !isTagValue(tags[name] ?? '')) return 'tags is not valid';
  return payload.length <= maxPayloadBytes ? undefined : 'payload is above the limit';
}
