/** Records as other versions of the services would write them, under schemas that the registry knows. */
import { type AvroTopic, readSchema } from '#lib/contract';
import { systemClock } from '#lib/clock';
import { type AvroSchema, createAvroCodec, registerSchemas, valueSubject } from '#lib/kafka';
import { silentLogger } from '#lib/log';
import type { Stack } from '../../../support/stack.ts';
import type { Ending } from './forged-record.ts';

interface Version {
  topic: AvroTopic;
  kind: string;
  ending: Ending;
  /** @param value as it is now */
  encode(value: object): Buffer;
}

export interface Versions {
  all: readonly Version[];
  /** Ids of schemas that are none of ours: JSON, Protobuf, a number in Avro. */
  foreignIds: readonly number[];
  close(): Promise<void>;
}

interface Field {
  name: string;
  type: unknown;
}

interface Change {
  kind: string;
  ending: Ending;
  schema(fields: readonly Field[]): Field[];
  value?(value: Record<string, unknown>): object;
}

const changes: Readonly<Partial<Record<AvroTopic, readonly Change[]>>> = {
  events: [
    {
      kind: 'future: more fields',
      ending: 'processed',
      schema: (fields) => [
        ...fields,
        { name: 'region', type: 'string' },
        { name: 'n', type: { type: 'array', items: 'long' } },
      ],
      value: (value) => ({ ...value, region: 'eu', n: [1, 2] }),
    },
    {
      kind: 'future: a field moved to the front',
      ending: 'processed',
      schema: (fields) => [...fields.slice(-1), ...fields.slice(0, -1)],
    },
    { kind: 'future: a field removed', ending: 'letter', schema: without('receipt_id') },
    {
      kind: 'future: a field renamed',
      ending: 'letter',
      schema: (fields) => fields.map((field) => (field.name === 'payload' ? { ...field, name: 'body' } : field)),
      value: ({ payload, ...value }) => ({ ...value, body: payload }),
    },
    {
      kind: 'future: a field of another type',
      ending: 'letter',
      schema: (fields) => fields.map((field) => (field.name === 'received_at' ? { ...field, type: 'string' } : field)),
      value: (value) => ({ ...value, received_at: '2026-11-22T00:00:00Z' }),
    },
    {
      kind: 'future: another branch of a union',
      ending: 'letter',
      schema: (fields) =>
        fields.map((field) =>
          field.name === 'event_id' ? { name: field.name, type: ['null', 'string', 'long'] } : field,
        ),
      value: (value) => ({ ...value, event_id: 7 }),
    },
  ],
  'delivery.attempts': [
    {
      kind: 'future: more fields',
      ending: 'processed',
      schema: (fields) => [...fields, { name: 'region', type: ['null', 'string'] }],
      value: (value) => ({ ...value, region: 'eu' }),
    },
    {
      kind: 'past: fewer fields',
      ending: 'processed',
      schema: without('chunk', 'timing', 'response_headers', 'request'),
    },
    { kind: 'future: a field removed', ending: 'letter', schema: without('tenant') },
    {
      kind: 'future: a kind that is new',
      ending: 'letter',
      schema: (fields) =>
        fields.map((field) =>
          field.name === 'kind'
            ? {
                ...field,
                type: { type: 'enum', name: 'Kind', symbols: ['fanned_out', 'attempted', 'parked', 'ended', 'paused'] },
              }
            : field,
        ),
      value: (value) => ({ ...value, kind: 'paused' }),
    },
  ],
};

function without(...names: string[]): Change['schema'] {
  return (fields) => fields.filter(({ name }) => !names.includes(name));
}

const common = { clock: systemClock, log: silentLogger };

export async function registerVersions({ schemaRegistryUrl, topicPrefix }: Stack): Promise<Versions> {
  const registryUrl = schemaRegistryUrl;
  const made = Object.entries(changes).flatMap(([topic, ofTopic]) =>
    ofTopic.map((change, index) => ({
      topic: topic as AvroTopic,
      change,
      name: `${topicPrefix}fuzzing.${topic}.${index}`,
    })),
  );
  const versions = await Promise.all(
    made.map(async ({ topic, change, name }) => {
      const now = readSchema(topic);
      const schema: AvroSchema = { ...now, fields: change.schema(now.fields as Field[]) };
      // Under a subject of its own: the one of the topic would not take it.
      await registerSchemas([{ subject: valueSubject(name), schema }], { ...common, registryUrl });
      const codec = createAvroCodec<object>({ ...common, registryUrl, topic: name, schema });
      await codec.start();
      const encode = (value: object): Buffer => codec.encode(change.value?.({ ...value }) ?? value);
      return { codec, version: { topic, kind: change.kind, ending: change.ending, encode } };
    }),
  );
  const foreign = [
    { schemaType: 'JSON', schema: '{"type":"object"}' },
    { schemaType: 'PROTOBUF', schema: 'syntax = "proto3"; message A { string a = 1; }' },
    { schemaType: 'AVRO', schema: '"long"' },
  ];
  const foreignIds = await Promise.all(
    foreign.map((body) => register(registryUrl, `${topicPrefix}fuzzing.${body.schemaType}-value`, body)),
  );
  return {
    all: versions.map(({ version }) => version),
    foreignIds: foreignIds.filter((id) => id !== undefined),
    close: async () => void (await Promise.all(versions.map(({ codec }) => codec.stop()))),
  };
}

/** Undefined where this registry does not take schemas of the kind. */
async function register(registryUrl: string, subject: string, body: object): Promise<number | undefined> {
  const answer = await fetch(`${registryUrl}/subjects/${encodeURIComponent(subject)}/versions`, {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  const { id } = (await answer.json()) as { id?: number };
  return answer.ok ? id : undefined;
}
