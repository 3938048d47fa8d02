/**
 * Announces disabled endpoints by an event `hookline.endpoint.disabled`, which takes the same way as every webhook: through dedup, to
 * pollers, and to the endpoints that subscribe to it.
 *
 *   disabled, and a row in `disablings` (one statement)  ──►  claimed  ──►  a record on `webhooks.received`  ──►  the row is removed
 *
 * If a process dies in between, its claim expires, and another process announces it again. Dedup finds the same identifier, and accepts it
 * once.
 */
import { type Clock, microsOf, nowMicros } from '#lib/clock';
import { endpointSettlingMs, operationalSourceId, receivedWebhookHeaders, type Topics } from '#lib/contract';
import { createId } from '#lib/ids';
import type { OutgoingRecord } from '#lib/kafka';
import type { Query } from '#lib/postgres';
import { newTraceparent } from '#lib/telemetry';
import type { Publish } from '../publishing/publish.ts';

interface Deps {
  postgres: Query;
  publish: Publish;
  topics: Pick<Topics, 'webhooks.received'>;
  clock: Clock;
}

interface Disabling {
  tenant: string;
  endpoint_id: string;
  disabled_at: string;
  revision: number;
  url: string;
  reason: string;
  failing_since: string | null;
}

const eventType = 'hookline.endpoint.disabled';
/** The longest that a source may set: far longer than a claim. */
const dedupTtlSeconds = 30 * 24 * 3600;
const maxClaimed = 20;
const claimSeconds = 60;

/** @throws AppError store_unavailable; stopped */
export function createAnnounceDisablings({ postgres, publish, topics, clock }: Deps) {
  // Only when every process knows that the endpoint is disabled, so that it doesn't get the event about itself.
  const claim = `
    UPDATE disablings SET claimed_until = clock_timestamp() + interval '${claimSeconds} seconds'
     WHERE (tenant, endpoint_id, disabled_at) IN (
       SELECT tenant, endpoint_id, disabled_at FROM disablings
        WHERE disabled_at <= clock_timestamp() - interval '${endpointSettlingMs} milliseconds'
          AND claimed_until < clock_timestamp()
        ORDER BY disabled_at
        LIMIT ${maxClaimed}
        FOR UPDATE SKIP LOCKED)
    RETURNING tenant, endpoint_id, disabled_at, revision, url, reason, failing_since`;

  function recordOf(disabling: Disabling): OutgoingRecord {
    const { tenant, endpoint_id, url, reason, failing_since, disabled_at, revision } = disabling;
    const receivedAt = Math.max(nowMicros(clock), microsOf(disabled_at) + endpointSettlingMs * 1_000);
    const headers = receivedWebhookHeaders({
      tenant,
      sourceId: operationalSourceId,
      receiptId: createId('rcp', clock.nowMs()),
      receivedAt,
      contentType: 'application/json',
      contentEncoding: null,
      httpHeaders: {},
      identifyBy: [{ value: `endpoint.disabled/${endpoint_id}/${revision}/${disabled_at}` }],
      typeBy: [{ value: eventType }],
      dedupTtlSeconds,
      orderingKey: null,
      traceparent: newTraceparent(undefined),
      origin: null,
    });
    const payload = { endpoint_id, url, reason, ...(failing_since !== null && { failing_since }), disabled_at };
    return { topic: topics['webhooks.received'], key: null, value: Buffer.from(JSON.stringify(payload)), headers };
  }

  return async (signal: AbortSignal): Promise<void> => {
    for (const disabling of await postgres.query<Disabling>(claim)) {
      await publish(recordOf(disabling), signal);
      const { tenant, endpoint_id, disabled_at } = disabling;
      await postgres.query('DELETE FROM disablings WHERE tenant = $1 AND endpoint_id = $2 AND disabled_at = $3', [
        tenant,
        endpoint_id,
        disabled_at,
      ]);
    }
  };
}
