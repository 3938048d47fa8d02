import type { WaitOut } from '#lib/backoff';
import { type Clock, nowMicros } from '#lib/clock';
import { duplicateToJson, type EventRecord, header, type Topics, traceHeaders } from '#lib/contract';
import type { Bury } from '#lib/dead-letters';
import { eventIdEndOf, type Holder, isChanged } from '#lib/dedup-store';
import type { PublishEvent, Refusal, StepBudget } from '#lib/fan-out';
import type { IncomingRecord, RecordProducer } from '#lib/kafka';
import { type Item, originOfRecord } from './item.ts';

/** Each resolves once acknowledged; waits while Kafka is away; throws `stopped` when the signal aborts. */
export interface Publisher {
  /**
   * Publishes the event, with its deliveries if it is narrow: #lib/fan-out.
   *
   * @param budget shared by all events that are published together
   * @returns why it can't be encoded, or why Kafka refuses it
   */
  event(item: Item, budget: StepBudget, signal: AbortSignal): Promise<Refusal | undefined>;
  /** @throws AppError data_invalid */
  duplicate(item: Item, holder: Holder, signal: AbortSignal): Promise<void>;
  deadLetter(record: IncomingRecord, deadLetter: DeadLetter, signal: AbortSignal): Promise<void>;
}

interface DeadLetter {
  reason: 'malformed_record' | 'data_invalid';
  attempts: number;
}

interface Deps {
  producer: Pick<RecordProducer, 'send'>;
  topics: Topics;
  publishEvent: PublishEvent;
  bury: Bury;
  clock: Clock;
  waitOut: WaitOut;
}

export function createPublisher({ producer, topics, publishEvent, bury, clock, waitOut }: Deps): Publisher {
  return {
    event: (item, budget, signal) =>
      publishEvent(eventOf(item), {
        traceparent: item.webhook.traceparent,
        budget,
        send: (record) => waitOut(() => producer.send(record), signal),
      }),
    async duplicate(item, holder, signal) {
      const { webhook, identity, candidate } = item;
      const dedupKey = identity.dedupKey.toString('hex');
      const value = duplicateToJson({
        tenant: webhook.tenant,
        source_id: webhook.sourceId,
        receipt_id: webhook.receiptId,
        origin: candidate.origin,
        received_at: webhook.receivedAt,
        dedup_key: dedupKey,
        event_id: holder.eventId,
        event_id_end: holder.eventId === null ? holder.eventIdEnd : eventIdEndOf(holder.eventId),
        body_hash: candidate.bodyHash.toString('hex'),
        changed: isChanged(candidate, holder),
      });
      const record = { topic: topics.duplicates, key: dedupKey, value, headers: traceHeaders(webhook.traceparent) };
      await waitOut(() => producer.send(record), signal);
    },
    async deadLetter(record, { reason, attempts }, signal) {
      const origin = originOfRecord(record, record.headers[header.origin]);
      const at = nowMicros(clock);
      const { key, value, rawHeaders: headers } = record;
      await bury({ key, value, headers }, { stage: 'dedup', reason, attempts, origin, at }, signal);
    },
  };
}

function eventOf({ webhook, identity, candidate }: Item): EventRecord {
  return {
    id: candidate.eventId,
    tenant: webhook.tenant,
    source_id: webhook.sourceId,
    event_id: identity.eventId,
    type: identity.type,
    receipt_id: webhook.receiptId,
    origin: candidate.origin,
    received_at: webhook.receivedAt,
    dedup_key: identity.dedupKey,
    content_type: webhook.contentType,
    content_encoding: webhook.contentEncoding,
    http_headers: { ...webhook.httpHeaders },
    ordering_key: webhook.orderingKey,
    payload: webhook.body,
  };
}
