/**
 * A record of `delivery.attempts` as Avro has it: one flat record for all kinds, with null for what a kind does not have. Writing fills
 * these nulls; reading takes the fields of the record's kind, and refuses a record that lacks one of them, or has a time that can't be
 * stored. Hookline writes no such record.
 */
import {
  type Attempted,
  type AttemptRecord,
  type EventFields,
  type FannedOut,
  sendColumns,
  type SendFields,
  type SetChunk,
  type StepFields,
} from './attempt-record.ts';
import { isCount, isInstant, isName } from './record-text.ts';

type OwnFields = Omit<Attempted, 'kind' | keyof EventFields> & Pick<FannedOut, 'chunk'>;

export type AvroAttempt = EventFields &
  Pick<AttemptRecord, 'kind'> &
  Pick<FannedOut, 'deliveries'> & { [Field in keyof OwnFields]: OwnFields[Field] | null };

const eventFields = ['tenant', 'event_id', 'generation', 'at'] as const satisfies (keyof EventFields)[];

const noStep = {
  delivery_id: null,
  endpoint_id: null,
  step: null,
  attempt: null,
  status: null,
  created_at: null,
  detail: null,
  next_attempt_at: null,
  ordering_key: null,
} as const satisfies Record<Exclude<keyof StepFields, keyof EventFields>, null>;

const sendFields = [...Object.keys(sendColumns), 'timing'] as (keyof SendFields)[];
const noSend = Object.fromEntries(sendFields.map((field) => [field, null])) as Record<keyof SendFields, null>;

const stepFields = [...eventFields, ...(Object.keys(noStep) as (keyof typeof noStep)[])];
const fieldsOf: Record<AttemptRecord['kind'], readonly (keyof AvroAttempt)[]> = {
  fanned_out: [...eventFields, 'deliveries', 'chunk'],
  attempted: [...stepFields, ...sendFields],
  parked: stepFields,
  ended: stepFields,
};

export const attemptToAvro = (record: AttemptRecord): AvroAttempt => ({
  deliveries: [],
  chunk: null,
  ...noStep,
  ...noSend,
  ...record,
});

export function parseAttempt(avro: AvroAttempt): AttemptRecord | { malformed: string } {
  const problem = problemOf(avro);
  if (problem !== undefined) return { malformed: problem };
  const record: Record<string, unknown> = { kind: avro.kind };
  for (const field of fieldsOf[avro.kind]) record[field] = avro[field];
  return record as unknown as AttemptRecord;
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
