/**
 * The ceiling: inserts the rows of published events with keys in groups over one connection, each group one flushed transaction, with the
 * API's own statements and nothing else.
 */
import { hash, randomBytes } from 'node:crypto';
import { insertEvents, reservedInstants, run, takeClocks } from '#lib/event-store';
import { createPostgres, type Query } from '#lib/postgres';
import { createId, formatMicros, silentLogger } from '#lib/runtime';

interface Options {
  databaseUrl: string;
  tenant: string;
  seconds: number;
  /** Events of a transaction. */
  group: number;
  payloadBytes: number;
}

/** The size of a kept answer, sealed. */
const answerBytes = 220;
const statementTimeoutMs = 30_000;

export async function insertBare(options: Options): Promise<{ events: number; seconds: number }> {
  const postgres = createPostgres({
    url: options.databaseUrl,
    applicationName: 'hookline-bench',
    maxConnections: 1,
    statementTimeoutMs,
    log: silentLogger,
  });
  await postgres.start();
  const startMs = performance.now();
  let events = 0;
  try {
    while (performance.now() - startMs < options.seconds * 1_000) {
      await postgres.transaction((tx) => insertGroup(tx, options));
      events += options.group;
    }
    return { events, seconds: (performance.now() - startMs) / 1_000 };
  } finally {
    await postgres.stop();
  }
}

async function insertGroup(tx: Query, { tenant, group, payloadBytes }: Options): Promise<void> {
  const [clock] = await run(tx, takeClocks, [{ tenant, n: group }]);
  const instants = reservedInstants(clock, group);
  const nowMs = Date.now();
  const rows = instants.map((updated_at) => {
    const id = createId('evt', nowMs, randomBytes);
    const payload = Buffer.from(
      `{"key":"${randomBytes(8).toString('hex')}","padding":"${'x'.repeat(payloadBytes - 42)}"}`,
    );
    return {
      tenant,
      id,
      source_id: 'api',
      event_id: null,
      type: 'order.paid',
      origin: `api:${id}`,
      receipt_id: createId('rcp', nowMs, randomBytes),
      dedup_key: randomBytes(16),
      body_hash: hash('sha256', payload, 'buffer').subarray(0, 8),
      received_at: formatMicros(nowMs * 1_000),
      updated_at,
      ordering_key: null,
      tags: null,
      traceparent: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`,
      content_type: 'application/json',
      content_encoding: null,
      payload,
    };
  });
  await run(tx, insertEvents, rows);
  await tx.query(
    'INSERT INTO outbox (tenant, event_id) SELECT $1, id FROM unnest($2::text[]) AS t (id)',
    [tenant, rows.map(({ id }) => id)],
    'bench_outbox',
  );
  const bytes = (length: number): Buffer[] => rows.map(() => randomBytes(length));
  await tx.query(
    `INSERT INTO idempotency_keys (tenant, credential, key_hash, request_hash, token, response, expires_at)
     SELECT $1, 'admin', key_hash, request_hash, token, response, clock_timestamp() + interval '3 days'
       FROM unnest($2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[]) AS t (key_hash, request_hash, token, response)`,
    [tenant, bytes(32), bytes(32), bytes(16), bytes(answerBytes)],
    'bench_records',
  );
}
