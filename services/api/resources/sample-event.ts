import { hash } from 'node:crypto';
import { operationalSourceId } from '#lib/contract';
import { bodyHashOf, dedupKeyOf } from '#lib/dedup-store';
import { insertEvents, run, sqlStatus, takeClocks } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import { formatMicros } from '#lib/runtime';

export interface SampleEvent {
  tenant: string;
  id: string;
  receiptId: string;
  type: string;
  payload: Buffer;
  traceparent: string;
  nowMs: number;
}

/**
 * An event without a sender, for testing an endpoint. It is on no topic, and not fanned out: complete until it is replayed to an endpoint.
 * Must come first in its transaction, like everything that takes a tenant's clock.
 */
export async function insertSampleEvent(tx: Query, event: SampleEvent): Promise<void> {
  const { tenant, id, receiptId, type, payload, traceparent, nowMs } = event;
  const [clock] = await run(tx, takeClocks, [{ tenant, n: 1 }]);
  const origin = originOf(id);
  await run(tx, insertEvents, [
    {
      tenant,
      id,
      source_id: operationalSourceId,
      event_id: null,
      type,
      receipt_id: receiptId,
      origin,
      dedup_key: dedupKeyOf(tenant, operationalSourceId, { kind: 'text', text: origin }),
      body_hash: bodyHashOf(hash('sha256', payload, 'buffer')),
      received_at: formatMicros(nowMs * 1_000),
      updated_at: clock?.last_at ?? '',
      ordering_key: null,
      traceparent,
      tags: null,
      content_type: 'application/json',
      content_encoding: null,
      payload,
    },
  ]);
  await tx.query('INSERT INTO fan_outs (tenant, event_id, generation) VALUES ($1, $2, 0)', [tenant, id]);
  await tx.query(`UPDATE events SET status = ${sqlStatus('completed')}, generation = 0 WHERE tenant = $1 AND id = $2`, [
    tenant,
    id,
  ]);
}

/** Whether the event was made by `insertSampleEvent`: by its origin, since an operational event comes from a topic. */
export async function isSampleEvent(
  postgres: Query,
  tenant: string,
  { id, source_id }: { id: string; source_id: string },
): Promise<boolean> {
  if (source_id !== operationalSourceId) return false;
  const rows = await postgres.query('SELECT FROM events WHERE tenant = $1 AND id = $2 AND origin = $3', [
    tenant,
    id,
    originOf(id),
  ]);
  return rows.length > 0;
}

const originOf = (id: string): string => `api:${id}`;
