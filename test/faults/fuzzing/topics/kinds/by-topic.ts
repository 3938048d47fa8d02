/** Kinds that belong to one topic. */
import { header, type TopicName } from '#lib/contract';
import { formed, formless } from './any-topic.ts';
import { avro } from './avro.ts';
import type { Pools } from '../../pools.ts';
import { adding, type Kind, notUtf8, text, withValue } from './kind.ts';
import { attemptFields, duplicateFields, eventFields } from './odd-fields.ts';

const setOf = (endpointIds: readonly unknown[], at: unknown = 1_767_225_600_000_000): string =>
  JSON.stringify({ at, endpointIds });

const oddSet = (pools: Pools): Buffer =>
  pools.pick([
    text(''),
    text('null'),
    text(setOf([], pools.pick([-1, 0.5, '1', null, 1e300]))),
    text(setOf([pools.pick(['', 'a\0b', 'é', 1, null, 'x'.repeat(300)])])),
    text(setOf(['ep_1', 'ep_1'])),
    text(setOf(Array.from({ length: 33 }, (_, n) => `ep_${n}`))),
    text('['.repeat(100_000)),
    notUtf8,
  ]);

export const kindsOf: Readonly<Partial<Record<TopicName, readonly Kind[]>>> = {
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
    {
      kind: 'with a set',
      ending: 'processed',
      forge: adding((pools) => [
        [header.fanOut, text(setOf(Array.from({ length: pools.below(33) }, (_, n) => `ep_${n}`)))],
      ]),
    },
    { kind: 'with a set that is none', ending: 'letter', forge: adding((pools) => [[header.fanOut, oddSet(pools)]]) },
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
