import { hash } from 'node:crypto';
import {
  type DeadLetterFacts,
  header,
  type HeaderText,
  isName,
  noTenant,
  packHeaders,
  parseDelivery,
} from '#lib/contract';
import { isNotErased } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import { derivedId, formatMicros } from '#lib/runtime';
import { type DiedRecord, rawHeaders, toBuffer } from './died-record.ts';

/**
 * Puts a record that is on no topic into the table of dead letters, with all of its bytes, from where it is shown and replayed as any other.
 *
 * @throws AppError store_unavailable
 */
export type KeepDeadLetter = (died: DiedRecord, facts: DeadLetterFacts) => Promise<void>;

/** The same dead letter again, after a crash, changes nothing: it is the projector's row, or this one. Of an event that was erased there is none. */
const insert = `
  INSERT INTO dead_letters (tenant, id, origin, generation, stage, reason, attempts, event_id, delivery_id, endpoint_id,
                            source_id, event_type, at, key, headers, value, kept_value)
  SELECT $1::text, $2, $3, $4::integer, $5, $6, $7::integer, $8::text, $9, $10, $11, $12, $13::timestamptz, $14::bytea, $15::bytea, $16::bytea, $17::bytea
   WHERE ${isNotErased('$1::text', '$8::text')}
  ON CONFLICT DO NOTHING`;

export function createKeepDeadLetter(postgres: Query): KeepDeadLetter {
  return async ({ key, value, headers: given }, { stage, reason, attempts, origin: named, at }) => {
    const headers = rawHeaders(given);
    const text = textOf(headers);
    const name = (header: string): string | null => nameOrNull(text[header]);
    const tenant = name(header.tenant) ?? noTenant;
    // The origin in a record that somebody else wrote may be longer than an index takes.
    const origin = nameOrNull(named) ?? `sha256-${hash('sha256', named, 'hex')}`;
    const generation = generationOf(text);
    const isDelivery = stage === 'dispatcher' && !('malformed' in parseDelivery(text, value));
    await postgres.query(insert, [
      tenant,
      derivedId('dl', Math.floor(at / 1000), [tenant, stage, origin, String(generation)]),
      origin,
      generation,
      stage,
      reason,
      attempts,
      name(header.eventId),
      name(header.deliveryId),
      name(header.endpointId),
      name(header.sourceId),
      name(header.eventType),
      formatMicros(at),
      key === null ? null : toBuffer(key),
      packHeaders(headers),
      // A delivery is replayed from its event's payload, and known by having no value: see libs/replay-store.
      isDelivery ? null : value,
      isDelivery ? value : null,
    ]);
  };
}

const nameOrNull = (text: string | undefined): string | null => (text !== undefined && isName(text) ? text : null);

const generationOf = (text: HeaderText): number => {
  const given = text[header.generation];
  return given !== undefined && /^\d{1,9}$/.test(given) ? Number(given) : 0;
};

const textOf = (headers: Readonly<Record<string, readonly Buffer[]>>): HeaderText =>
  Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.at(-1)?.toString() ?? '']));
