/** What is made of sound records: each kind by its name. */
import { type AttemptRecord, type DuplicateRecord, type EventRecord, header, type TopicName } from '#lib/contract';
import { longText, type Pools } from '../pools.ts';
import type { BaseRecords, Codecs } from './base-records.ts';
import type { Ending, ForgedRecord } from './forged-record.ts';
import type { Versions } from './versions.ts';

export interface ForgeOptions extends Codecs {
  base: BaseRecords;
  pools: Pools;
  versions: Versions;
}

type Forge = (topic: TopicName, options: ForgeOptions) => Partial<ForgedRecord>;

interface Kind {
  kind: string;
  ending: Ending;
  forge: Forge;
}

const mebibyte = 1024 * 1024;
const text = (value: string): Buffer => Buffer.from(value);
const notUtf8 = Buffer.from([0x61, 0xff, 0xc3, 0x28]);
const hugeOf = (pools: Pools, length: number): Buffer => Buffer.alloc(length, pools.bytes(60).toString('hex') || 'a');

/** One header of the record is another; where it has none, one that any record may have. */
const withHeader =
  (change: (before: Buffer, pools: Pools) => Buffer | readonly Buffer[] | undefined): Forge =>
  (topic, { base, pools }) => {
    const record = base.of(topic);
    const name = pools.pick([...Object.keys(record.headers), header.origin, header.tenant]);
    const { [name]: before, ...others } = record.headers;
    const value = change(Buffer.isBuffer(before) ? before : text('a'), pools);
    return { ...record, headers: { ...others, ...(value !== undefined && { [name]: value }) } };
  };

const adding =
  (more: (pools: Pools) => readonly (readonly [string, Buffer | readonly Buffer[]])[]): Forge =>
  (topic, { base, pools }) => {
    const record = base.of(topic);
    return {
      ...record,
      headers: Object.fromEntries([...Object.entries(record.headers), ...more(pools)]),
    };
  };

const withKey =
  (keyOf: (pools: Pools) => Buffer | null): Forge =>
  (topic, { base, pools }) => ({ ...base.of(topic), key: keyOf(pools) });

const withValue =
  (valueOf: (before: Buffer, pools: Pools) => Buffer | null): Forge =>
  (topic, { base, pools }) => {
    const record = base.of(topic);
    return { ...record, value: valueOf(record.value ?? Buffer.alloc(0), pools) };
  };

/** Those that make sense on any topic. */
const anyTopic: readonly Kind[] = [
  { kind: 'header missing', ending: 'either', forge: withHeader(() => undefined) },
  { kind: 'header empty', ending: 'either', forge: withHeader(() => Buffer.alloc(0)) },
  { kind: 'header NUL', ending: 'either', forge: withHeader((before) => Buffer.concat([before, text('\0')])) },
  { kind: 'header NUL alone', ending: 'either', forge: withHeader(() => text('\0')) },
  { kind: 'header not UTF-8', ending: 'either', forge: withHeader(() => notUtf8) },
  { kind: 'header control characters', ending: 'either', forge: withHeader(() => text('a\r\nb: c\x7f\u2028')) },
  { kind: 'header other characters', ending: 'either', forge: withHeader(() => text('né 🎣 \u202e')) },
  {
    kind: 'header number',
    ending: 'either',
    forge: withHeader((_, pools) =>
      text(pools.pick(['-1', '0', '2147483648', '8999999999999999', '1e9', '9'.repeat(400)])),
    ),
  },
  {
    kind: 'header JSON',
    ending: 'either',
    forge: withHeader((_, pools) =>
      text(
        pools.pick([
          '{}',
          '[]',
          '[1]',
          'null',
          '{"a":1}',
          '[{"pointer":1}]',
          '[{"pointer":"/a"}]',
          `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
        ]),
      ),
    ),
  },
  { kind: 'header 3 kB', ending: 'either', forge: withHeader((_, pools) => hugeOf(pools, 3_000)) },
  { kind: 'header 100 kB', ending: 'either', forge: withHeader((_, pools) => hugeOf(pools, 100_000)) },
  { kind: 'header 1.5 MiB', ending: 'either', forge: withHeader((_, pools) => hugeOf(pools, 1.5 * mebibyte)) },
  { kind: 'header twice', ending: 'either', forge: withHeader((before) => [text('first'), before]) },
  {
    kind: 'header twice, then wrong',
    ending: 'either',
    forge: withHeader((before, pools) => [before, pools.bytes(40)]),
  },
  { kind: 'header of bytes', ending: 'either', forge: withHeader((_, pools) => pools.bytes()) },
  {
    kind: 'headers that nobody knows',
    ending: 'processed',
    forge: adding((pools) => [
      ['', text('a')],
      ['x\0', text('b')],
      [pools.text().toWellFormed(), notUtf8],
    ]),
  },
  {
    kind: 'headers named as what every object has',
    ending: 'processed',
    forge: adding(() =>
      ['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((name) => [name, text('a')] as const),
    ),
  },
  {
    kind: 'two thousand headers',
    ending: 'processed',
    forge: adding(() => Array.from({ length: 2_000 }, (_, i) => [`x-${i}`, text('a')] as const)),
  },
  {
    kind: 'origin of its own',
    ending: 'processed',
    forge: adding((pools) => [[header.origin, text(`other-0-${pools.random()}`)]]),
  },
  { kind: 'key null', ending: 'processed', forge: withKey(() => null) },
  { kind: 'key empty', ending: 'processed', forge: withKey(() => Buffer.alloc(0)) },
  {
    kind: 'key of bytes',
    ending: 'processed',
    forge: withKey((pools) => Buffer.concat([text('\0'), notUtf8, pools.bytes()])),
  },
  { kind: 'key 900 kB', ending: 'processed', forge: withKey((pools) => hugeOf(pools, 900_000)) },
  { kind: 'value of bytes', ending: 'either', forge: withValue((_, pools) => pools.bytes()) },
  {
    kind: 'value cut',
    ending: 'either',
    forge: withValue((before, pools) => before.subarray(0, pools.below(before.length || 1))),
  },
  { kind: 'value with bits flipped', ending: 'either', forge: withValue((before, pools) => flipped(before, pools)) },
  { kind: 'value longer', ending: 'either', forge: withValue((before) => Buffer.concat([before, text('xyz')])) },
  { kind: 'value 1 MiB', ending: 'either', forge: withValue((_, pools) => hugeOf(pools, mebibyte)) },
  { kind: 'value nearly 2 MiB', ending: 'either', forge: withValue((_, pools) => hugeOf(pools, 2 * mebibyte - 2_000)) },
  {
    kind: 'time of 1970',
    ending: 'processed',
    forge: (topic, { base }) => ({ ...base.of(topic), timestampMs: 1 }),
  },
];

/** Where the value has a form that the topic has. */
const formed: readonly Kind[] = [
  { kind: 'value null', ending: 'letter', forge: withValue(() => null) },
  { kind: 'value empty', ending: 'letter', forge: withValue(() => Buffer.alloc(0)) },
  { kind: 'value NUL', ending: 'letter', forge: withValue(() => text('\0')) },
];

/** To whom none of it matters: the value is what somebody sent. */
const formless: readonly Kind[] = formed.map(({ kind, forge }) => ({ kind, ending: 'either', forge }));

const withSchemaId =
  (idOf: (options: ForgeOptions) => number): Forge =>
  (topic, options) => {
    const record = options.base.of(topic);
    const value = Buffer.from(record.value ?? Buffer.alloc(5));
    value.writeInt32BE(idOf(options), 1);
    return { ...record, value };
  };

/** A count of entries, zigzag, in the place of what follows. */
const counts = [
  Buffer.from([0xfe, 0xff, 0xff, 0xff, 0x0f]),
  Buffer.from([0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
  Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0x02]),
  Buffer.from([0x80, 0xa8, 0xd6, 0xb9, 0x07]),
];

const avro: readonly Kind[] = [
  {
    kind: 'Avro: cut',
    ending: 'letter',
    forge: withValue((before, pools) => before.subarray(0, 6 + pools.below(before.length - 6))),
  },
  { kind: 'Avro: more behind it', ending: 'letter', forge: withValue((before) => Buffer.concat([before, text('\0')])) },
  {
    kind: 'Avro: wrong magic byte',
    ending: 'letter',
    forge: withValue((before) => Buffer.concat([text('\x01'), before.subarray(1)])),
  },
  { kind: 'Avro: header alone', ending: 'letter', forge: withValue((before) => before.subarray(0, 5)) },
  { kind: 'Avro: JSON instead', ending: 'letter', forge: withValue(() => text('{"id":"evt_1"}')) },
  {
    kind: 'Avro: unknown schema',
    ending: 'letter',
    forge: withSchemaId(({ pools }) => pools.pick([2 ** 31 - 1, 900_000])),
  },
  { kind: 'Avro: schema -1', ending: 'letter', forge: withSchemaId(({ pools }) => pools.pick([-1, 0, -(2 ** 31)])) },
  {
    kind: 'Avro: schema of something else',
    ending: 'letter',
    forge: (topic, options) => withSchemaId(({ versions, pools }) => pools.pick(versions.foreignIds))(topic, options),
  },
  {
    kind: 'Avro: schema of another topic',
    ending: 'letter',
    forge: (topic, { base }) => ({
      ...base.of(topic),
      value: base.of(topic === 'events' ? 'delivery.attempts' : 'events').value,
    }),
  },
  {
    kind: 'Avro: a count that lies',
    ending: 'either',
    forge: (topic, options) => ({ ...options.base.of(topic), value: lyingCount(topic, options) }),
  },
  {
    kind: 'Avro: bits flipped behind the header',
    ending: 'either',
    forge: withValue((before, pools) => Buffer.concat([before.subarray(0, 5), flipped(before.subarray(5), pools)])),
  },
];

/** Instead of the empty array or map that it begins with, a count of entries that are not there. */
function lyingCount(topic: TopicName, { base, encodeEvent, encodeAttempt, pools }: ForgeOptions): Buffer {
  const whole =
    topic === 'events'
      ? encodeEvent(base.event({ http_headers: { marker: 'marker' } }))
      : encodeAttempt(base.attempt({ response_headers: { marker: 'marker' } }));
  // The map's count stands before the length of its first key.
  const at = whole.indexOf('marker') - 2;
  return Buffer.concat([whole.subarray(0, at), pools.pick(counts), whole.subarray(at + 1)]);
}

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
const oddTimes = [-1, 0, 1, 2 ** 53 - 1, 253_402_300_800_000_000 / 32, -(2 ** 52)];
const oddInts = [-1, 0, 2 ** 31 - 1, -(2 ** 31)];

const eventFields = (pools: Pools): Partial<EventRecord> => {
  const name = pools.pick([
    'id',
    'tenant',
    'source_id',
    'event_id',
    'type',
    'receipt_id',
    'origin',
    'content_type',
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

const attemptFields = (pools: Pools): Partial<AttemptRecord> => {
  const name = pools.pick(['tenant', 'event_id', 'delivery_id', 'endpoint_id', 'detail', 'ordering_key'] as const);
  return pools.pick<Partial<AttemptRecord>>([
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
  ]);
};

const duplicateFields = (pools: Pools, { base }: ForgeOptions): Buffer => {
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

const kindsOf: Readonly<Record<TopicName, readonly Kind[]>> = {
  'webhooks.received': [
    ...formless,
    {
      kind: 'body of any JSON',
      ending: 'processed',
      forge: withValue((_, pools) =>
        text(JSON.stringify({ id: pools.oddValue(), type: pools.oddValue(), n: pools.random() })),
      ),
    },
    {
      kind: 'body nested deep',
      ending: 'processed',
      forge: withValue((_, pools) => text(`${'['.repeat(200_000)}${pools.random()}${']'.repeat(200_000)}`)),
    },
  ],
  events: [
    ...formed,
    ...avro,
    {
      kind: 'odd field',
      ending: 'either',
      forge: (topic, { base, pools, encodeEvent }) => ({
        ...base.of(topic),
        value: encodeEvent(base.event(eventFields(pools))),
      }),
    },
    { kind: 'for another stage', ending: 'passed', forge: adding(() => [[header.replayFor, text('dedup')]]) },
  ],
  deliveries: [
    ...formless,
    {
      kind: 'endpoint of nobody',
      ending: 'letter',
      forge: (topic, { base, pools }) => {
        const record = base.of(topic);
        return { ...record, headers: { ...record.headers, [header.endpointId]: text(`ep_nobody_${pools.below(3)}`) } };
      },
    },
    {
      kind: 'tenant of nobody',
      ending: 'letter',
      forge: (topic, { base }) => {
        const record = base.of(topic);
        return { ...record, headers: { ...record.headers, [header.tenant]: text('nobody') } };
      },
    },
    {
      kind: 'id with a NUL',
      ending: 'letter',
      forge: (topic, { base, pools }) => {
        const record = base.of(topic);
        const name = pools.pick([header.tenant, header.deliveryId, header.eventId, header.endpointId]);
        return { ...record, headers: { ...record.headers, [name]: text('a\0b') } };
      },
    },
  ],
  'delivery.attempts': [
    ...formed,
    ...avro,
    {
      kind: 'odd field',
      ending: 'either',
      forge: (topic, { base, pools, encodeAttempt }) => ({
        ...base.of(topic),
        value: encodeAttempt(base.attempt(attemptFields(pools))),
      }),
    },
  ],
  duplicates: [
    ...formed,
    {
      kind: 'odd field',
      ending: 'either',
      forge: (topic, options) => ({ ...options.base.of(topic), value: duplicateFields(options.pools, options) }),
    },
    {
      kind: 'future: more fields',
      ending: 'processed',
      forge: withValue((before) =>
        text(JSON.stringify({ ...(JSON.parse(before.toString()) as object), region: 'eu' })),
      ),
    },
    {
      kind: 'nested deep',
      ending: 'letter',
      forge: withValue(() => text(`${'['.repeat(300_000)}${']'.repeat(300_000)}`)),
    },
    {
      kind: 'other JSON',
      ending: 'letter',
      forge: withValue((_, pools) => text(pools.pick(['null', '[]', '1', '"a"', '{}', '[null]']))),
    },
  ],
  'dead-letters': [
    ...formless,
    {
      kind: 'letter of a letter',
      ending: 'either',
      forge: adding(() => [
        [header.deadLetterStage, text('projector')],
        [header.deadLetterReason, text('data_invalid')],
      ]),
    },
    { kind: 'stage of nobody', ending: 'letter', forge: adding(() => [[header.deadLetterStage, text('nobody')]]) },
    {
      kind: 'generation',
      ending: 'either',
      forge: adding((pools) => [[header.generation, text(pools.pick(['1', '2147483648', '-1', 'x']))]]),
    },
  ],
};

/** @param count of each kind, on each topic */
export function forgeRecords(topic: TopicName, count: number, options: ForgeOptions): ForgedRecord[] {
  const { base, versions } = options;
  const kinds: Kind[] = [
    ...anyTopic,
    ...kindsOf[topic],
    ...versions.all
      .filter((version) => version.topic === topic)
      .map(({ kind, ending, encode }) => ({
        kind,
        ending,
        forge: () => ({ ...base.of(topic), value: encode(topic === 'events' ? base.event() : base.attempt()) }),
      })),
  ];
  return kinds.flatMap(({ kind, ending, forge }) =>
    Array.from({ length: count }, () => ({ ...base.of(topic), ...forge(topic, options), kind, ending })),
  );
}

function flipped(bytes: Buffer, pools: Pools): Buffer {
  const result = Buffer.from(bytes);
  for (let times = 0; times < 3 && result.length > 0; times += 1) result[pools.below(result.length)] = pools.below(256);
  return result;
}
