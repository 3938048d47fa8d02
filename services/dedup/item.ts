import { parseReceivedWebhook, type ReceivedWebhook } from '#lib/contract';
import { firstOriginOf } from '#lib/dead-letters';
import { type Candidate, eventIdOf } from '#lib/dedup-store';
import type { IncomingRecord } from '#lib/kafka';
import { codingOf } from '#lib/payload';
import { identify, type Identity, identifyingContent } from './identify.ts';

/** A received record, read and identified. */
export interface Item {
  record: IncomingRecord;
  webhook: ReceivedWebhook;
  identity: Identity;
  candidate: Candidate;
}

// The limits of a source's dedup_ttl_seconds. A value beyond them came around the API: 0 would make Redis refuse a whole batch, a huge one
// overflow Postgres's intervals.
const minTtlSeconds = 60;
const maxTtlSeconds = 30 * 24 * 3600;

export async function readItem(record: IncomingRecord): Promise<Item | { malformed: string }> {
  const webhook = parseReceivedWebhook(record.headers, record.value);
  if ('malformed' in webhook) return webhook;
  // Receivers are told no coding where there is none.
  if (webhook.contentEncoding !== null && codingOf(webhook.contentEncoding) === undefined)
    webhook.contentEncoding = null;
  const identity = identify(webhook, await identifyingContent(webhook));
  const { tenant, sourceId, receiptId, receivedAt } = webhook;
  const origin = firstOriginOf(record);
  return {
    record,
    webhook,
    identity,
    candidate: {
      tenant,
      key: identity.dedupKey,
      origin,
      eventId: eventIdOf({ tenant, sourceId, origin, receiptId, receivedAt }),
      bodyHash: identity.bodyHash,
      receivedAt,
      ttlSeconds: Math.min(Math.max(webhook.dedupTtlSeconds, minTtlSeconds), maxTtlSeconds),
    },
  };
}
