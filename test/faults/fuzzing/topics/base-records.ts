/** Records as the services write them, each with ids of its own: the sound ones, and those that are broken then. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { type AvroTopic, avroTopics, deadLetterStages, header, readSchema, type TopicName } from '#lib/contract';
import type { AvroCodec } from '#lib/kafka';
import { createId } from '#lib/runtime';
import { newTraceparent } from '#lib/telemetry';
import { type Draw, oneOf } from '../draw.ts';
import { type AvroField, avroValues, soundLeaves } from './avro-values.ts';
import type { Codecs } from './codecs.ts';
import type { RecordParts } from './forged-record.ts';

/** A value before it is bytes. */
export type Fields = Readonly<Record<string, unknown>>;

export interface BaseRecords {
  /** @param eventId of a delivery that is to arrive: an existing event */
  of(topic: TopicName, draw: Draw, control?: { eventId: string | undefined }): RecordParts;
  /** The value of a record of this topic; undefined where it is what somebody sent. */
  fieldsOf(topic: TopicName, draw: Draw): Fields | undefined;
  encode(topic: TopicName, fields: Fields): Buffer;
}

interface Options {
  codecs: Codecs;
  tenant: string;
  /** Existing endpoints of the tenant. */
  endpointIds: readonly string[];
  /** The event that sound duplicates are of. */
  event: { id: string; dedup_key: Buffer; source_id: string };
}

/** A forged record may be tried again for days, with its key waiting behind it: sound records have a key of their own. */
const orderingKeys = { forged: [null, 'a', 'b'], sound: [null, 'sound'] };

export const isAvro = (topic: TopicName): topic is AvroTopic => avroTopics.some((each) => each === topic);
export const schemaFieldsOf = (topic: AvroTopic): readonly AvroField[] => readSchema(topic).fields as AvroField[];
const soundValues = (topic: AvroTopic): fc.Arbitrary<Fields> =>
  avroValues({ type: 'record', fields: schemaFieldsOf(topic) }, soundLeaves) as fc.Arbitrary<Fields>;
const values = { events: soundValues('events'), 'delivery.attempts': soundValues('delivery.attempts') };
const noFields = Object.fromEntries(schemaFieldsOf('delivery.attempts').map(({ name }) => [name, null]));

type HeaderName = keyof typeof header;
/** By their names in libs/contract. */
const headersOf: Readonly<Record<TopicName, string>> = {
  'webhooks.received': `tenant sourceId receiptId receivedAt contentType httpHeaders sealedHeaders request identifyBy dedupRule typeBy tagsBy dedupTtlSeconds
    traceparent`,
  events: 'traceparent',
  deliveries: `tenant deliveryId eventId eventType endpointId generation createdAt receivedAt contentType orderingKey
    passedHeaders passedCredentials traceparent`,
  'delivery.attempts': '',
  duplicates: 'traceparent',
  'dead-letters': `tenant eventId deadLetterStage deadLetterReason deadLetterAttempts deadLetterOrigin deadLetterAt`,
};

const micros = (): number => Date.now() * 1_000;
const newId = (prefix: 'evt' | 'rcp' | 'dlv'): string => createId(prefix, Date.now());
const newOrigin = (): string => `fuzzing-0-${newId('rcp')}`;
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value) ?? '');

export function createBaseRecords({ codecs, tenant, endpointIds, event: known }: Options): BaseRecords {
  const encode: BaseRecords['encode'] = (topic, fields) =>
    isAvro(topic) ? (codecs[topic] as unknown as AvroCodec<Fields>).encode(fields) : json(fields);
  return { of, encode, fieldsOf: (topic, draw) => fieldsOf(topic, draw, false) };

  function fieldsOf(topic: TopicName, draw: Draw, isSound: boolean): Fields | undefined {
    const endpoint = { delivery_id: newId('dlv'), endpoint_id: oneOf(draw, endpointIds) };
    const attempt = { tenant, event_id: newId('evt'), generation: 0, at: micros() };
    const received = { tenant, receipt_id: newId('rcp'), origin: newOrigin(), received_at: micros() };
    switch (topic) {
      case 'events':
        return {
          ...draw(values.events),
          ...received,
          id: newId('evt'),
          source_id: 'src_fuzzing',
          type: 'fuzzed.event',
          dedup_key: randomBytes(16),
          ordering_key: oneOf(draw, orderingKeys[isSound ? 'sound' : 'forged']),
          content_type: 'application/json',
          content_encoding: null,
          payload: json({ id: newId('evt') }),
          tags: { of: 'fuzzing' },
        };
      case 'delivery.attempts': {
        const chunk = oneOf(draw, [null, { try: newId('evt'), index: 1, count: 3 }]);
        if (draw(fc.boolean())) return { ...noFields, ...attempt, kind: 'fanned_out', deliveries: [endpoint], chunk };
        return {
          ...draw(values['delivery.attempts']),
          ...attempt,
          ...endpoint,
          kind: 'attempted',
          deliveries: [],
          step: 1,
          attempt: 1,
          status: 'delivered',
          outcome: 'delivered',
          created_at: micros(),
          next_attempt_at: null,
          ordering_key: null,
          chunk: null,
        };
      }
      case 'duplicates': {
        // One of an event that does not exist, unless it is to be counted.
        const of = isSound ? known : { id: newId('evt'), dedup_key: randomBytes(16), source_id: known.source_id };
        return {
          ...received,
          source_id: of.source_id,
          dedup_key: of.dedup_key.toString('hex'),
          event_id: of.id,
          event_id_end: of.id.slice(-2),
          body_hash: randomBytes(8).toString('hex'),
          changed: true,
        };
      }
      default:
        return undefined;
    }
  }

  function of(topic: TopicName, draw: Draw, control?: { eventId: string | undefined }): RecordParts {
    const endpointId = oneOf(draw, endpointIds);
    const orderingKey = oneOf(draw, orderingKeys[control === undefined ? 'forged' : 'sound']);
    const texts: Partial<Record<HeaderName, string | null>> = {
      tenant,
      sourceId: 'src_fuzzing',
      receiptId: newId('rcp'),
      deliveryId: newId('dlv'),
      endpointId,
      orderingKey,
      traceparent: newTraceparent(undefined),
      eventId: control?.eventId ?? newId('evt'),
      eventType: 'fuzzed.event',
      contentType: 'application/json',
      createdAt: String(micros()),
      receivedAt: String(micros()),
      generation: '0',
      dedupTtlSeconds: '3600',
      httpHeaders: '{"x-a":"b"}',
      identifyBy: '[{"pointer":"/id"}]',
      typeBy: '[{"pointer":"/type"}]',
      dedupRule: '{"by":[{"all":[{"pointer":"/id"},{"value":"a"}]}],"with":"body"}',
      tagsBy: '{"id":{"pointer":"/id"}}',
      passedHeaders: '[["X-A","b"]]',
      sealedHeaders: '{"cookie":["AA=="]}',
      passedCredentials: '[["Cookie","AA=="]]',
      request:
        '{"secret":[],"method":"POST","path":"/","address":"192.0.2.7","names":"X-A,X-A","repeated":{"x-a":["b","c"]}}',
      deadLetterStage: oneOf(draw, deadLetterStages),
      deadLetterReason: 'malformed_record',
      deadLetterAttempts: '1',
      deadLetterOrigin: newOrigin(),
      deadLetterAt: String(micros()),
    };
    const given = (headersOf[topic].split(/\s+/) as HeaderName[]).filter((name) => typeof texts[name] === 'string');
    const headers = Object.fromEntries(given.map((name) => [header[name], Buffer.from(texts[name] ?? '')]));
    const fields = fieldsOf(topic, draw, control !== undefined);
    const { ordering_key, id, event_id, dedup_key } = fields ?? {};
    const keys = { events: ordering_key ?? id, 'delivery.attempts': event_id, duplicates: dedup_key };
    const key = { ...keys, 'webhooks.received': null, deliveries: endpointId, 'dead-letters': 'a' }[topic];
    const value = fields === undefined ? json({ id: newId('evt'), type: 'fuzzed.event' }) : encode(topic, fields);
    return { key: typeof key === 'string' ? Buffer.from(key) : null, value, headers };
  }
}
