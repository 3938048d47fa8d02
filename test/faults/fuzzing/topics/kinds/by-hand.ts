/** Kinds that no schema tells of: what the wire format, the ids and the headers of each topic mean to their readers. */
import fc from 'fast-check';
import { type AvroTopic, header, type TopicName } from '#lib/contract';
import { bitsFlipped, byteDefects, type Defect, nested } from '../../defects.ts';
import { type Draw, oneOf } from '../../draw.ts';
import type { Kind } from '../forged-record.ts';
import type { Versions } from '../versions.ts';
import { adding, changingValue, kindsOf } from './by-part.ts';

/** The id of the schema is one of these. */
const withSchemaId = (ids: readonly number[]): Kind['forge'] =>
  changingValue((before, draw) => {
    const value = Buffer.from(before);
    value.writeInt32BE(oneOf(draw, ids), 1);
    return value;
  });

/** Counts of entries, zigzag: 2³¹ and more, 2⁶³, a negative one with its size, a thousand million. */
const counts = ['feffffff0f', 'feffffffffffffffff01', 'ffffffff0f02', '80a8d6b907'].map((hex) =>
  Buffer.from(hex, 'hex'),
);
const mapIn = { events: 'http_headers', 'delivery.attempts': 'response_headers' };

/** The count of a map's entries stands before the length of its first key. */
const lyingCount: Kind['forge'] = ({ topic, base, draw }) => {
  const fields = base.fieldsOf(topic, draw) ?? {};
  const whole = base.encode(topic, { ...fields, kind: 'attempted', [mapIn[topic as AvroTopic]]: { marker: 'marker' } });
  const at = whole.indexOf('marker') - 2;
  return { value: Buffer.concat([whole.subarray(0, at), oneOf(draw, counts), whole.subarray(at + 1)]) };
};

const behindHeader = (defect: Defect<Buffer>): Kind['forge'] =>
  changingValue((before, draw) => Buffer.concat([before.subarray(0, 5), defect(before.subarray(5), draw)]));

const hugeVarint = changingValue((before, draw) => {
  const at = 5 + draw(fc.nat(before.length - 6));
  return Buffer.concat([before.subarray(0, at), oneOf(draw, counts), before.subarray(at + 1)]);
});

const avro = ({ foreignIds }: Versions, other: AvroTopic): Kind[] => [
  ...kindsOf('Avro: ', 'letter', {
    cut: behindHeader(byteDefects.cut),
    'more behind it': behindHeader(byteDefects.longer),
    'header alone': changingValue((before) => before.subarray(0, 5)),
    'wrong magic byte': changingValue((before) => Buffer.concat([Buffer.from([1]), before.subarray(1)])),
    'JSON instead': () => ({ value: Buffer.from('{"id":"evt_1"}') }),
    'schema of nobody': withSchemaId([2 ** 31 - 1, 900_000, -1, 0, -(2 ** 31)]),
    'schema of something else': withSchemaId(foreignIds),
    'schema of another topic': ({ base, draw }) => ({ value: base.of(other, draw).value }),
  }),
  ...kindsOf('Avro: ', 'either', {
    'bits flipped': behindHeader(bitsFlipped),
    'a count that lies': lyingCount,
    'huge varint': hugeVarint,
  }),
];

const setOf = (endpointIds: readonly unknown[], at: unknown = 1_767_225_600_000_000): string =>
  JSON.stringify({ at, endpointIds });
const someIds = (length: number): string[] => Array.from({ length }, (_, n) => `ep_${n}`);
const oddSet = (draw: Draw): string =>
  oneOf(draw, [
    ...['', 'null', '\xff', nested(50_000, ''), setOf(['ep_1', 'ep_1']), setOf(someIds(33))],
    ...[-1, 0.5, '1', null, 1e300].map((at) => setOf([], at)),
    ...['', 'a\0b', 'é', 1, null, 'x'.repeat(300)].map((id) => setOf([id])),
  ]);
const ids = [header.tenant, header.deliveryId, header.eventId, header.endpointId];
const otherJson = ['null', '[]', '1', '"a"', '{}', '[null]'];

const anyBody: Kind['forge'] = ({ draw }) => {
  const [id, type, n] = draw(fc.tuple(fc.jsonValue({ stringUnit: 'binary' }), fc.jsonValue(), fc.double()));
  return { value: Buffer.from(JSON.stringify({ id, type, n })) };
};
const moreFields: Kind['forge'] = ({ topic, base, draw }) => ({
  value: base.encode(topic, { ...base.fieldsOf(topic, draw), region: 'eu' }),
});

export const kindsByHand = (topic: TopicName, versions: Versions): readonly Kind[] =>
  ({
    'webhooks.received': kindsOf('body: ', 'processed', {
      'any JSON': anyBody,
      'nested deep': ({ draw }) => ({ value: Buffer.from(nested(200_000, `${draw(fc.nat())}`)) }),
    }),
    events: [
      ...avro(versions, 'delivery.attempts'),
      ...versions.kindsOf('events'),
      ...kindsOf('', 'passed', { 'for another stage': adding(() => [[header.replayFor, 'dedup']]) }),
      ...kindsOf('', 'processed', { 'a set': adding((draw) => [[header.fanOut, setOf(someIds(draw(fc.nat(32))))]]) }),
      ...kindsOf('', 'letter', { 'a set that is none': adding((draw) => [[header.fanOut, oddSet(draw)]]) }),
    ],
    deliveries: kindsOf('delivery: ', 'letter', {
      'endpoint of nobody': adding((draw) => [[header.endpointId, `ep_nobody_${draw(fc.nat(2))}`]]),
      'tenant of nobody': adding(() => [[header.tenant, 'nobody']]),
      'id with a NUL': adding((draw) => [[oneOf(draw, ids), 'a\0b']]),
    }),
    'delivery.attempts': [...avro(versions, 'events'), ...versions.kindsOf('delivery.attempts')],
    duplicates: [
      ...kindsOf('duplicate: ', 'processed', { 'more fields': moreFields }),
      ...kindsOf('duplicate: ', 'letter', {
        'other JSON': ({ draw }) => ({ value: Buffer.from(oneOf(draw, otherJson)) }),
      }),
    ],
    'dead-letters': [
      ...kindsOf('dead letter: ', 'letter', { 'stage of nobody': adding(() => [[header.deadLetterStage, 'nobody']]) }),
      ...kindsOf('dead letter: ', 'either', {
        'of a dead letter': adding(() => [[header.deadLetterStage, 'projector']]),
        generation: adding((draw) => [[header.generation, oneOf(draw, ['1', '2147483648', '-1', 'x'])]]),
      }),
    ],
  })[topic];
