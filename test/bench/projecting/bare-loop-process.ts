/**
 * The rows that the projector makes of these webhooks, inserted as they are in the end: as many webhooks in a transaction, one transaction
 * after the other, without Kafka, without a tenant's clock and without a look at the rows that exist. It is the best that one connection
 * could do. Reports its own processor time and how long it took.
 */
import { createPostgres, type Query } from '#lib/postgres';
import { formatMicros, silentLogger } from '#lib/runtime';
import { deliveredWebhook, type DeliveredWebhook, tenants } from './records.ts';

export interface LoopJob {
  databaseUrl: string;
  events: number;
  bytes: number;
  endpoints: number;
  /** Events of a transaction. */
  batch: number;
}

export interface LoopReport {
  seconds: number;
  processorSeconds: number;
}

process.once('message', (job) => {
  void run(job as LoopJob).then((report) => process.send?.(report));
});

async function run({ databaseUrl, events, batch, ...shape }: LoopJob): Promise<LoopReport> {
  const postgres = createPostgres({
    url: databaseUrl,
    applicationName: 'hookline-bench',
    maxConnections: 1,
    statementTimeoutMs: 60_000,
    log: silentLogger,
  });
  await postgres.start();
  const webhooks = Array.from({ length: events }, (_, n) =>
    deliveredWebhook(n, { tenant: tenants.inserted, ...shape }),
  );
  const firstAt = Date.now() * 1_000;
  const startMs = performance.now();
  const before = process.cpuUsage();
  for (let from = 0; from < events; from += batch)
    await postgres.transaction((tx) => insert(tx, webhooks.slice(from, from + batch), firstAt + from));
  const { user, system } = process.cpuUsage(before);
  const report = { seconds: (performance.now() - startMs) / 1_000, processorSeconds: (user + system) / 1e6 };
  await postgres.stop();
  return report;
}

async function insert(tx: Query, webhooks: readonly DeliveredWebhook[], firstAt: number): Promise<void> {
  const events = webhooks.map(({ event }) => event);
  const outcomes = webhooks.flatMap((webhook) => webhook.outcomes);
  const tenants = events.map(({ tenant }) => tenant);
  const ids = events.map(({ id }) => id);
  const receivedAt = events.map(({ received_at }) => formatMicros(received_at));
  const keys = events.map(({ dedup_key }) => dedup_key);
  const endpoints = webhooks[0]?.outcomes.length ?? 0;
  await tx.query(
    `INSERT INTO events (tenant, id, source_id, event_id, type, receipt_id, origin, dedup_key, received_at, updated_at,
                         status, generation, delivered, counted)
     SELECT *, 'completed', 0, $11, true
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bytea[],
                   $9::timestamptz[], $10::timestamptz[])`,
    [
      ...[tenants, ids, events.map(({ source_id }) => source_id), events.map(({ event_id }) => event_id)],
      ...[
        events.map(({ type }) => type),
        events.map(({ receipt_id }) => receipt_id),
        events.map(({ origin }) => origin),
      ],
      ...[keys, receivedAt, events.map((_, index) => formatMicros(firstAt + index)), endpoints],
    ],
    'bare-events',
  );
  await tx.query(
    `INSERT INTO event_payloads (tenant, event_id, received_at, content_type, body)
     SELECT tenant, id, at, 'application/json', body
       FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::bytea[]) AS t (tenant, id, at, body)`,
    [tenants, ids, receivedAt, events.map(({ payload }) => payload)],
    'bare-payloads',
  );
  await tx.query(
    `INSERT INTO receipts (tenant, origin, receipt_id, event_id, duplicate, settled, dedup_key, body_hash, received_at)
     SELECT tenant, origin, receipt_id, id, false, true, key, key, at
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::timestamptz[])
            AS t (tenant, origin, receipt_id, id, key, at)`,
    [tenants, events.map(({ origin }) => origin), events.map(({ receipt_id }) => receipt_id), ids, keys, receivedAt],
    'bare-receipts',
  );
  await tx.query(
    'INSERT INTO fan_outs (tenant, event_id, generation) SELECT *, 0 FROM unnest($1::text[], $2::text[])',
    [tenants, ids],
    'bare-fan-outs',
  );
  const ofOutcomes = [
    outcomes.map(({ tenant }) => tenant),
    outcomes.map(({ delivery_id }) => delivery_id),
    outcomes.map(({ at }) => formatMicros(at)),
  ];
  await tx.query(
    `INSERT INTO deliveries (tenant, id, event_id, endpoint_id, generation, status, step, attempts, created_at, updated_at)
     SELECT tenant, id, event_id, endpoint_id, 0, 'delivered', 1, 1, at, at
       FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::text[]) AS t (tenant, id, at, event_id, endpoint_id)`,
    [...ofOutcomes, outcomes.map(({ event_id }) => event_id), outcomes.map(({ endpoint_id }) => endpoint_id)],
    'bare-deliveries',
  );
  await tx.query(
    `INSERT INTO attempts (tenant, delivery_id, step, attempt, at, delivery_at, outcome, http_status, duration_ms,
                           response_excerpt, request, response_headers, first_byte_ms, body_ms)
     SELECT tenant, id, 1, 1, at, at, 'delivered', 200, 12.5, 'ok', request, headers, 11.25, 0.5
       FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::json[], $5::json[]) AS t (tenant, id, at, request, headers)`,
    [
      ...ofOutcomes,
      outcomes.map(({ request }) => JSON.stringify(request)),
      outcomes.map(({ response_headers }) => JSON.stringify(response_headers)),
    ],
    'bare-attempts',
  );
}
