import type { DeadLetter, DeadLetterWithPayload } from '#lib/api-contract';
import { parseUndecodableBatch, recordHeaderText, unpackHeaders } from '#lib/contract';
import type { Query } from '#lib/postgres';
import { type DeadLetterFilter, deadLetterConditions, deadLetterTables } from '#lib/replay-store';
import type { PageRequest } from '../http/paging.ts';
import { idPattern } from '../resources/ids.ts';
import { jsonText } from '../resources/json-text.ts';

export const deadLetterId = idPattern('dl');

/** Through the item of the replay, by whose generation the delivery is known. */
const replayedDelivery = `
  (SELECT json_build_object('id', sent.id, 'status', sent.status)
     FROM replay_items i
     JOIN deliveries sent ON sent.tenant = i.tenant AND sent.event_id = i.event_id AND sent.endpoint_id = i.endpoint_id
                         AND sent.generation = i.generation
    WHERE i.tenant = l.tenant AND i.event_id = l.event_id AND i.endpoint_id = l.endpoint_id AND i.replay_id = l.replay_id
    LIMIT 1)`;

const columns = `l.id, l.stage, l.reason, l.attempts, l.at, l.origin, l.generation, l.event_id, l.delivery_id, l.endpoint_id,
                 coalesce(l.source_id, e.source_id) AS source_id, coalesce(l.event_type, e.type) AS event_type,
                 d.last_outcome, d.last_http_status, d.last_detail,
                 l.status, l.replay_id, l.replayed_at, ${replayedDelivery} AS replayed_delivery,
                 l.original_sha256 IS NOT NULL AS shortened,
                 l.original_bytes::float8 AS original_bytes, encode(l.original_sha256, 'hex') AS original_sha256`;

const tables = `${deadLetterTables} LEFT JOIN deliveries d ON d.tenant = l.tenant AND d.id = l.delivery_id`;

/** The newest first: ids sort by their time. One more than the page holds. */
export function listDeadLetters(
  postgres: Query,
  tenant: string,
  filter: DeadLetterFilter,
  { after, limit }: PageRequest,
): Promise<DeadLetter[]> {
  const values: unknown[] = [];
  const conditions = deadLetterConditions(tenant, filter, values);
  const before = after === null ? 'true' : `l.id < $${values.push(after)}`;
  return postgres.query<DeadLetter>(
    `SELECT ${columns} FROM ${tables}
      WHERE ${conditions} AND ${before}
      ORDER BY l.id DESC
      LIMIT $${values.push(limit + 1)}`,
    values,
  );
}

type WholeDeadLetter = DeadLetter & {
  key: Buffer | null;
  headers: Buffer;
  /** Null if a delivery's payload has been removed. */
  value: Buffer | null;
};

/** With the dead record; a delivery's value is its event's payload. */
export async function findDeadLetter(
  postgres: Query,
  tenant: string,
  id: string,
): Promise<WholeDeadLetter | undefined> {
  if (!deadLetterId.test(id)) return undefined;
  const [row] = await postgres.query<WholeDeadLetter>(
    `SELECT ${columns}, l.key, l.headers, coalesce(l.value, l.kept_value, payload.body) AS value
       FROM ${tables}
       LEFT JOIN LATERAL (
              SELECT p.body
                FROM event_payloads p
               WHERE l.value IS NULL AND p.tenant = e.tenant AND p.event_id = e.id AND p.received_at = e.received_at
               LIMIT 1) AS payload ON true
      WHERE l.tenant = $1 AND l.id = $2`,
    [tenant, id],
  );
  return row;
}

/** The dead letter of a delivery that has died. */
export async function findDeadLetterOfDelivery(
  postgres: Query,
  tenant: string,
  deliveryId: string,
): Promise<DeadLetter | undefined> {
  const [row] = await postgres.query<DeadLetter>(
    `SELECT ${columns} FROM ${tables} WHERE l.tenant = $1 AND l.stage = 'dispatcher' AND l.origin = $2`,
    [tenant, deliveryId],
  );
  return row;
}

/**
 * The dead letter as JSON text: a JSON payload unchanged, any other in base64. Repeated headers have all their values. The ingress has
 * removed the sender's credentials, or sealed those that an endpoint wants.
 */
export function deadLetterText({ key, headers, value, ...letter }: WholeDeadLetter): string {
  const unpacked = unpackHeaders(headers);
  const shown = Object.entries(unpacked).map(([name, values]) => {
    const texts = values.map((bytes) => recordHeaderText(name, bytes.toString('utf8')));
    return [name, texts.length === 1 ? texts[0] : texts];
  });
  const json = value === null ? undefined : jsonText(value);
  const facts: Omit<DeadLetterWithPayload, 'payload'> = {
    ...letter,
    key: key?.toString('utf8') ?? null,
    headers: Object.fromEntries(shown) as DeadLetterWithPayload['headers'],
    undecodable_batch: undecodableBatchOf(unpacked),
    payload_encoding: value === null ? null : json === undefined ? 'base64' : 'json',
  };
  const payload = json ?? JSON.stringify(value?.toString('base64') ?? null);
  return `${JSON.stringify(facts).slice(0, -1)},"payload":${payload}}`;
}

/** More are named by the first and the last alone. */
const maxShownOffsets = 10_000;

/** Null for the dead letter of anything else. */
function undecodableBatchOf(
  headers: Readonly<Record<string, readonly Buffer[]>>,
): DeadLetterWithPayload['undecodable_batch'] {
  const texts = Object.entries(headers).map(([name, values]) => [name, values.at(-1)?.toString() ?? ''] as const);
  const batch = parseUndecodableBatch(Object.fromEntries(texts));
  if (batch === undefined) return null;
  const { topic, partition, firstOffset, lastOffset, compression, problem } = batch;
  const count = Number(lastOffset - firstOffset) + 1;
  return {
    topic,
    partition,
    first_offset: String(firstOffset),
    last_offset: String(lastOffset),
    offsets: count > maxShownOffsets ? null : Array.from({ length: count }, (_, n) => String(firstOffset + BigInt(n))),
    compression,
    problem: `the batch ${problem}`,
  };
}
