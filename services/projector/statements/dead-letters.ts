import type { Statement } from '#lib/event-store';

export interface DeadLetterRow {
  tenant: string;
  id: string;
  origin: string;
  generation: number;
  stage: string;
  reason: string;
  attempts: number;
  event_id: string | null;
  delivery_id: string | null;
  endpoint_id: string | null;
  source_id: string | null;
  event_type: string | null;
  key: Buffer | null;
  headers: Buffer;
  value: Buffer | null;
  letter_partition: number;
  letter_offset: string;
  at: string;
  /** Null where it is whole, with the one after it. */
  original_bytes: number | null;
  original_sha256: Buffer | null;
}

/** A dead letter that was written again (a stage died before it could commit) has the same stage, origin and generation. */
export const insertDeadLetters: Statement<DeadLetterRow> = {
  name: 'insert-dead-letters',
  columns: [
    'tenant',
    'id',
    'origin',
    'stage',
    'reason',
    'attempts',
    'event_id',
    'delivery_id',
    'endpoint_id',
    'source_id',
    'event_type',
    'letter_partition',
    'letter_offset',
    'at',
    'generation',
    'key',
    'headers',
    'value',
    'original_bytes',
    'original_sha256',
  ],
  text: `
    INSERT INTO dead_letters (tenant, id, origin, stage, reason, attempts, event_id, delivery_id, endpoint_id,
                              source_id, event_type, letter_partition, letter_offset, at,
                              generation, key, headers, value, original_bytes, original_sha256)
    SELECT *
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::text[], $8::text[],
                  $9::text[], $10::text[], $11::text[], $12::int[], $13::bigint[], $14::timestamptz[],
                  $15::int[], $16::bytea[], $17::bytea[], $18::bytea[], $19::bigint[], $20::bytea[])
           AS t (tenant, id, origin, stage, reason, attempts, event_id, delivery_id, endpoint_id,
                 source_id, event_type, letter_partition, letter_offset, at, generation)
     ORDER BY tenant, stage, origin, generation
    ON CONFLICT DO NOTHING`,
};
