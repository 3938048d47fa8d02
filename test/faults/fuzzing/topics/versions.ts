/** Records as other versions of the services would write them, and schemas that are none of ours: the registry has them all. */
import { type AvroTopic, avroTopics, readSchema } from '#lib/contract';
import { createAvroCodec, registerSchemas, valueSubject } from '#lib/kafka';
import { silentLogger, systemClock } from '#lib/runtime';
import type { Stack } from '../../../support/stack.ts';
import type { AvroField, AvroType } from './avro-values.ts';
import { type Fields, schemaFieldsOf } from './base-records.ts';
import type { Ending, Kind } from './forged-record.ts';

export interface Versions {
  kindsOf(topic: AvroTopic): Kind[];
  /** Ids of schemas that are none of ours: JSON, Protobuf, a number in Avro. */
  foreignIds: readonly number[];
  close(): Promise<void>;
}

type FieldChange = readonly [kind: string, ending: Ending, fields: readonly AvroField[], more?: Fields];

/** As schemas may change: a reader needs each of its fields, but for those with a default. */
function changesOf(topic: AvroTopic): FieldChange[] {
  const fields = schemaFieldsOf(topic);
  const needed = fields.filter((field) => field.default === undefined);
  const optional = fields.filter((field) => field.default !== undefined);
  const [first = '', last = ''] = [needed.at(0)?.name, needed.at(-1)?.name];
  const union = optional.find(({ type }) => Array.isArray(type) && type.includes('string'))?.name ?? '';
  const choice = fields.flatMap(({ name, type }) =>
    typeof type === 'object' && 'symbols' in type ? [{ name, type }] : [],
  )[0];
  const replaced = (name: string, type: AvroType, newName = name): AvroField[] =>
    fields.map((field) => (field.name === name ? { name: newName, type } : field));
  const region = [
    { name: 'region', type: 'string' },
    { name: 'n', type: { type: 'array', items: 'long' } },
  ];
  return [
    ['more fields', 'processed', [...fields, ...region], { region: 'eu', n: [1, 2] }],
    ['another order', 'processed', [...fields.slice(-1), ...fields.slice(0, -1)]],
    ['fewer fields', 'processed', fields.filter((field) => !optional.slice(-4).includes(field))],
    ['a field less', 'letter', fields.filter(({ name }) => name !== first)],
    ['a field renamed', 'letter', replaced(last, 'string', 'other'), { other: 'a' }],
    ['a field of another type', 'letter', replaced(last, 'boolean'), { [last]: true }],
    ['another branch of a union', 'letter', replaced(union, ['null', 'string', 'long']), { [union]: 7 }],
    ...(choice === undefined ? [] : [newSymbol(choice.name, choice.type)]),
  ];

  function newSymbol(name: string, type: { symbols?: readonly string[] }): FieldChange {
    const symbols = [...(type.symbols ?? []), 'paused'];
    return ['a new symbol', 'letter', replaced(name, { ...type, type: 'enum', symbols }), { [name]: 'paused' }];
  }
}

const common = { clock: systemClock, log: silentLogger };
const foreign = {
  JSON: '{"type":"object"}',
  PROTOBUF: 'syntax = "proto3"; message A { string a = 1; }',
  AVRO: '"long"',
};

export async function registerVersions({ schemaRegistryUrl: registryUrl, topicPrefix }: Stack): Promise<Versions> {
  const made = await Promise.all(
    avroTopics.flatMap((topic) =>
      changesOf(topic).map(async ([kind, ending, fields, more], index) => {
        // Under a subject of its own: the one of the topic would not take it.
        const name = `${topicPrefix}fuzzing.${topic}.${index}`;
        const schema = { ...readSchema(topic), fields };
        await registerSchemas([{ subject: valueSubject(name), schema }], { ...common, registryUrl });
        const codec = createAvroCodec<Fields>({ ...common, registryUrl, topic: name, schema });
        await codec.start();
        const forge: Kind['forge'] = ({ base, draw }) => ({
          value: codec.encode({ ...base.fieldsOf(topic, draw), ...more }),
        });
        return { topic, codec, kind: { kind: `version: ${kind}`, ending, forge } };
      }),
    ),
  );
  const foreignIds = await Promise.all(
    Object.entries(foreign).map(([schemaType, schema]) =>
      register(`${registryUrl}/subjects/${topicPrefix}fuzzing.${schemaType}-value/versions`, { schemaType, schema }),
    ),
  );
  return {
    kindsOf: (topic) => made.filter((version) => version.topic === topic).map(({ kind }) => kind),
    foreignIds: foreignIds.filter((id) => id !== undefined),
    close: async () => void (await Promise.all(made.map(({ codec }) => codec.stop()))),
  };
}

/** Undefined where this registry does not take schemas of the kind. */
async function register(url: string, body: object): Promise<number | undefined> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  const { id } = (await answer.json()) as { id?: number };
  return answer.ok ? id : undefined;
}
