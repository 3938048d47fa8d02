import { duplicateToJson, type EventRecord, type Tags, type Topics, traceHeaders } from '#lib/contract';
import { eventIdEndOf, type Holder, isChanged } from '#lib/dedup-store';
import type { PublishEvent, Refusal, StepBudget } from '#lib/fan-out';
import type { RecordProducer } from '#lib/kafka';
import type { WaitOut } from '#lib/runtime';
import { clientAddressOf, eventRequestOf } from './event-request.ts';
import type { Item } from './item.ts';

/** Each resolves once acknowledged; waits while Kafka is away; throws `stopped` when the signal aborts. */
export interface Publisher {
  /**
   * Publishes the event, with its deliveries if it is narrow: #lib/fan-out.
   *
   * @param budget shared by all events that are published together
   * @param tags besides those of its source
   * @returns why it can't be encoded, or why Kafka refuses it
   */
  event(item: Item, more: { tags: Tags; budget: StepBudget }, signal: AbortSignal): Promise<Refusal | undefined>;
  /** @throws AppError data_invalid */
  duplicate(item: Item, holder: Holder, signal: AbortSignal): Promise<void>;
}

interface Deps {
  producer: Pick<RecordProducer, 'send'>;
  topics: Topics;
  publishEvent: PublishEvent;
  waitOut: WaitOut;
}

export function createPublisher({ producer, topics, publishEvent, waitOut }: Deps): Publisher {
  return {
    event: (item, { tags, budget }, signal) =>
      publishEvent(eventOf(item, tags), {
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
        client_address: clientAddressOf(webhook),
      });
      const record = { topic: topics.duplicates, key: dedupKey, value, headers: traceHeaders(webhook.traceparent) };
      await waitOut(() => producer.send(record), signal);
    },
  };
}

function eventOf({ webhook, identity, candidate }: Item, tags: Tags): EventRecord {
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
    http_headers: webhook.httpHeaders,
    ordering_key: webhook.orderingKey,
    payload: webhook.body,
    request: eventRequestOf(webhook),
    tags: { ...identity.tags, ...tags },
  };
}
