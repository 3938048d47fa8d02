/**
 * A record of `delivery.attempts` as Avro has it: one flat record for all kinds, with null for what a kind does not have. Writing fills
 * these nulls; reading takes the fields of the record's kind, and refuses a record that lacks one of them, or has a time that can't be
 * stored. Hookline writes no such record.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  Attempted,
  AttemptRecord,
  EventFields,
  FannedOut,
  SendFields,
  SetChunk,
  StepFields,
} from './attempt-record.ts';
import { isCount, isInstant, isName } from './record-text.ts';
import type { AvroTopic } from './topics.ts';

type OwnFields = Omit<Attempted, 'kind' | keyof EventFields> & Pick<FannedOut, 'chunk'>;

export type AvroAttempt = EventFields &
  Pick<AttemptRecord, 'kind'> &
  Pick<FannedOut, 'deliveries'> & { [Field in keyof OwnFields]: OwnFields[Field] | null };

/** Each field by its name: it is made for every attempt, and to spread parts of it would take longer than to encode it. */
export function attemptToAvro(record: AttemptRecord): AvroAttempt {
  const given: EventFields & Pick<AttemptRecord, 'kind'> & Partial<AvroAttempt> = record;
  return {
    kind: given.kind,
    tenant: given.tenant,
    event_id: given.event_id,
    generation: given.generation,
    at: given.at,
    deliveries: given.deliveries ?? [],
    chunk: given.chunk ?? null,
    delivery_id: given.delivery_id ?? null,
    endpoint_id: given.endpoint_id ?? null,
    step: given.step ?? null,
    attempt: given.attempt ?? null,
    status: given.status ?? null,
    created_at: given.created_at ?? null,
    detail: given.detail ?? null,
    next_attempt_at: given.next_attempt_at ?? null,
    ordering_key: given.ordering_key ?? null,
    outcome: given.outcome ?? null,
    http_status: given.http_status ?? null,
    duration_ms: given.duration_ms ?? null,
    response_excerpt: given.response_excerpt ?? null,
    request: given.request ?? null,
    response_headers: given.response_headers ?? null,
    timing: given.timing ?? null,
  };
}

export function parseAttempt(avro: AvroAttempt): AttemptRecord | { malformed: string } {
  const problem = problemOf(avro);
  if (problem !== undefined) return { malformed: problem };
  const { kind } = avro;
  if (kind === 'fanned_out') {
    const { tenant, event_id, generation, at, deliveries, chunk } = avro;
    return { kind, tenant, event_id, generation, at, deliveries, chunk };
  }
  // `problemOf` has seen that nothing of it is missing.
  const { tenant, event_id, generation, at, delivery_id, endpoint_id, step, attempt, status, created_at } =
    avro as AvroAttempt & StepFields;
  const { detail, next_attempt_at, ordering_key } = avro;
  if (kind !== 'attempted')
    return {
      kind,
      tenant,
      event_id,
      generation,
      at,
      delivery_id,
      endpoint_id,
      step,
      attempt,
      status,
      created_at,
      detail,
      next_attempt_at,
      ordering_key,
    };
  const { outcome, http_status, duration_ms, response_excerpt, request, response_headers, timing } =
    avro as AvroAttempt & SendFields;
  return {
    kind,
    tenant,
    event_id,
    generation,
    at,
    delivery_id,
    endpoint_id,
    step,
    attempt,
    status,
    created_at,
    detail,
    next_attempt_at,
    ordering_key,
    outcome,
    http_status,
    duration_ms,
    response_excerpt,
    request,
    response_headers,
    timing,
  };
}

function problemOf(avro: AvroAttempt): string | undefined {
  if (!isInstant(avro.at)) return 'at is not a time in microseconds';
  if (avro.kind === 'fanned_out') return avro.chunk === null ? undefined : problemOfChunk(avro.chunk);
  const { delivery_id, endpoint_id, step, attempt, status, created_at, next_attempt_at } = avro;
  if (delivery_id === null || endpoint_id === null || step === null || attempt === null || status === null)
    return `${avro.kind} without delivery_id, endpoint_id, step, attempt or status`;
  if (created_at === null || !isInstant(created_at)) return 'created_at is not a time in microseconds';
  if (next_attempt_at !== null && !isInstant(next_attempt_at)) return 'next_attempt_at is not a time in microseconds';
  if (avro.kind === 'attempted' && avro.outcome === null) return 'attempted without an outcome';
  return undefined;
}

const problemOfChunk = ({ try: name, index, count }: SetChunk): string | undefined =>
  isName(name) && isCount(index) && isCount(count) && index < count
    ? undefined
    : 'chunk is invalid: it needs the name of its try, and an index below its count';

/** The schema of a topic's values, as its file has it. */
export function readSchema(topic: AvroTopic): Readonly<Record<string, unknown>> {
  const file = join(import.meta.dirname, 'schemas', `${topic}.avsc`);
  return JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
}
