/** Records of the right form, in which one field has a value that no service writes. */
import type { AvroAttempt, DuplicateRecord, EventRecord } from '#lib/contract';
import { longText, type Pools } from '../../pools.ts';
import { type ForgeOptions, hugeOf, mebibyte, notUtf8, text } from './kind.ts';

const oddTexts = [
  '',
  '\0',
  'a\0b',
  'a\r\nb',
  '\u0007',
  'né 🎣',
  ' ',
  '../..',
  "'; --",
  '%00',
  'a'.repeat(3_000),
  longText,
];
/** The Avro library writes no number beyond the fourth. */
const oddTimes = [-1, 0, 1, 2 ** 53 - 2, 253_402_300_800_000_000 / 32, -(2 ** 52)];
const oddInts = [-1, 0, 2 ** 31 - 1, -(2 ** 31)];

export const eventFields = (pools: Pools): Partial<EventRecord> => {
  const name = pools.pick([
    'id',
    'tenant',
    'source_id',
    'event_id',
    'type',
    'receipt_id',
    'origin',
    'content_type',
    'content_encoding',
    'ordering_key',
  ] as const);
  return pools.pick<Partial<EventRecord>>([
    { [name]: pools.pick(oddTexts) },
    { [name]: pools.pick(oddTexts) },
    { [name]: pools.text().toWellFormed() },
    { received_at: pools.pick(oddTimes) },
    { payload: pools.pick([Buffer.alloc(0), notUtf8, hugeOf(pools, mebibyte), hugeOf(pools, mebibyte + 1)]) },
    { dedup_key: pools.pick([Buffer.alloc(0), Buffer.alloc(100_000, 7)]) },
    { http_headers: { ['__proto__']: 'a', '\0': '\0', [pools.text().toWellFormed()]: longText } },
  ]);
};

export const attemptFields = (pools: Pools): Partial<AvroAttempt> => {
  const name = pools.pick(['tenant', 'event_id', 'delivery_id', 'endpoint_id', 'detail', 'ordering_key'] as const);
  return pools.pick<Partial<AvroAttempt>>([
    { [name]: pools.pick(oddTexts) },
    { [name]: pools.pick(oddTexts) },
    { [pools.pick(['at', 'created_at', 'next_attempt_at'] as const)]: pools.pick(oddTimes) },
    { [pools.pick(['generation', 'step', 'attempt', 'http_status'] as const)]: pools.pick(oddInts) },
    { duration_ms: pools.pick([Number.NaN, Infinity, -1, 1e308]) },
    { timing: { dns_ms: Number.NaN, connect_ms: 1e308, tls_ms: -Infinity, first_byte_ms: null, body_ms: null } },
    {
      status: pools.pick(['pending', 'retrying', 'parked', 'cancelled', null] as const),
      next_attempt_at: pools.pick(oddTimes),
    },
    { outcome: null },
    { step: null },
    { kind: pools.pick(['parked', 'ended', 'fanned_out'] as const) },
    { response_excerpt: pools.pick([Buffer.alloc(0), hugeOf(pools, mebibyte)]) },
    { response_headers: { '\0': '\0', ['__proto__']: 'a' } },
    { request: { method: '\0', url: longText, headers: { a: '\0' } } },
    { kind: 'fanned_out', deliveries: [{ delivery_id: pools.pick(oddTexts), endpoint_id: pools.pick(oddTexts) }] },
    {
      kind: 'fanned_out',
      chunk: { try: pools.pick(oddTexts), index: pools.pick(oddInts), count: pools.pick(oddInts) },
    },
  ]);
};

export const duplicateFields = (pools: Pools, { base }: ForgeOptions): Buffer => {
  const record = base.duplicate({ event_id: 'evt_nobody' });
  const name = pools.pick(Object.keys(record) as (keyof DuplicateRecord)[]);
  const others = Object.fromEntries(Object.entries(record).filter(([other]) => other !== name));
  return pools.pick([
    text(JSON.stringify(others)),
    text(JSON.stringify({ ...record, dedup_key: 'aa', [name]: pools.oddValue() })),
    text(JSON.stringify({ ...record, dedup_key: 'aa', [name]: pools.pick(oddTexts) })),
    text(JSON.stringify({ ...record, dedup_key: 'aa', received_at: pools.pick(oddTimes) })),
  ]);
};
