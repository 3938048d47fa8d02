import { attemptToAvro, type AvroAttempt, parseAttempt, readSchema } from '#lib/contract';
import { anAttempted, attemptRecords, noFields } from './attempt-records.ts';

const named = attemptRecords.map((record) => [record.kind, record] as const);
const flat = attemptToAvro(anAttempted);
const malformed = { malformed: expect.any(String) as string };

test.each(named)('a record %s has every field of the schema, null where its kind has none', (_kind, record) => {
  const { fields } = readSchema('delivery.attempts') as { fields: { name: string }[] };
  const avro = attemptToAvro(record);
  expect(Object.keys(avro).sort()).toEqual(fields.map(({ name }) => name).sort());
  expect(avro).toEqual({ ...noFields, ...record });
});

test.each(named)('a record %s is read as it was written, with the fields of its kind alone', (_kind, record) => {
  const read = parseAttempt(attemptToAvro(record));
  expect(read).toEqual(record);
  expect(Object.keys(read).sort()).toEqual(Object.keys(record).sort());
});

test('fields of other kinds are left out', () => {
  const parked = parseAttempt({ ...flat, kind: 'parked', deliveries: [{ delivery_id: 'dlv', endpoint_id: 'ep' }] });
  expect(parked).toMatchObject({ kind: 'parked', step: 3, detail: 'answered 503' });
  for (const field of ['deliveries', 'outcome', 'request', 'chunk']) expect(parked).not.toHaveProperty(field);
});

describe('a record that lacks what its kind must have is refused:', () => {
  const ofStep = ['delivery_id', 'endpoint_id', 'step', 'attempt', 'status', 'created_at'] as const;
  const lacking = (['attempted', 'parked', 'ended'] as const).flatMap((kind) =>
    ofStep.map((field) => [kind, field] as const),
  );
  it.each(lacking)('%s without %s', (kind, field) => {
    expect(parseAttempt({ ...flat, kind })).toMatchObject({ kind });
    expect(parseAttempt({ ...flat, kind, [field]: null })).toEqual(malformed);
  });

  it('attempted without an outcome', () => {
    expect(parseAttempt({ ...flat, outcome: null })).toEqual(malformed);
    expect(parseAttempt({ ...flat, kind: 'ended', outcome: null })).toMatchObject({ kind: 'ended' });
  });

  it.each<[string, Partial<AvroAttempt>]>([
    ['a time that no row can hold', { at: 2 ** 60 }],
    ['a creation before 1970', { created_at: -1 }],
    ['a next attempt before 1970', { next_attempt_at: -1 }],
    ['a chunk behind the last', { kind: 'fanned_out', chunk: { try: 'one', index: 2, count: 2 } }],
    ['a chunk of a try without a name', { kind: 'fanned_out', chunk: { try: '', index: 0, count: 2 } }],
  ])('one with %s', (_what, fields) => {
    expect(parseAttempt({ ...flat, ...fields })).toEqual(malformed);
  });

  it('but nothing else: a set says nothing of a delivery, and a send may say little', () => {
    const { kind, tenant, event_id, generation, at } = attemptRecords[0]!;
    const set = { kind, tenant, event_id, generation, at };
    expect(parseAttempt({ ...noFields, ...set })).toEqual({ ...set, deliveries: [], chunk: null });
    const { detail, next_attempt_at, ordering_key, http_status, duration_ms, request, timing } = noFields;
    const little = { detail, next_attempt_at, ordering_key, http_status, duration_ms, request, timing };
    expect(parseAttempt({ ...flat, ...little })).toEqual({ ...anAttempted, ...little });
  });
});
