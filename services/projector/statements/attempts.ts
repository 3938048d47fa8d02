import type { Statement } from '#lib/event-store';

export interface AttemptRow {
  tenant: string;
  delivery_id: string;
  step: number;
  attempt: number;
  at: string;
  /** Decides which partition of `attempts` the delivery's rows are in: the same in each of its records. */
  delivery_at: string;
  outcome: string;
  http_status: number | null;
  duration_ms: number | null;
  detail: string | null;
  response_excerpt: Buffer | null;
  /** JSON, as the one after it. */
  request: string | null;
  response_headers: string | null;
  dns_ms: number | null;
  connect_ms: number | null;
  tls_ms: number | null;
  first_byte_ms: number | null;
  body_ms: number | null;
}

/** Every send, once, whatever becomes of its delivery. */
export const insertAttempts: Statement<AttemptRow> = {
  name: 'insert-attempts',
  columns: [
    'tenant',
    'delivery_id',
    'step',
    'attempt',
    'at',
    'delivery_at',
    'outcome',
    'http_status',
    'duration_ms',
    'detail',
    'response_excerpt',
    'request',
    'response_headers',
    'dns_ms',
    'connect_ms',
    'tls_ms',
    'first_byte_ms',
    'body_ms',
  ],
  text: `
    INSERT INTO attempts (tenant, delivery_id, step, attempt, at, delivery_at, outcome,
                          http_status, duration_ms, detail, response_excerpt,
                          request, response_headers, dns_ms, connect_ms, tls_ms, first_byte_ms, body_ms)
    SELECT *
      FROM unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::timestamptz[], $6::timestamptz[], $7::text[],
                  $8::int[], $9::float8[], $10::text[], $11::bytea[], $12::json[], $13::json[], $14::real[], $15::real[],
                  $16::real[], $17::real[], $18::real[])
           AS t
    ON CONFLICT (tenant, delivery_id, step, delivery_at) DO NOTHING`,
};
