import type { TopicName } from '#lib/contract';
import { flipped, type Forge, type ForgeOptions, type Kind, text, withValue } from './kind.ts';

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

/** Kinds for topics with Avro values: everything that a reader of Avro may be given. */
export const avro: readonly Kind[] = [
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
