/** Forges records from sound ones, each kind by its name. */
import type { TopicName } from '#lib/contract';
import type { ForgedRecord } from './forged-record.ts';
import { anyTopic } from './kinds/any-topic.ts';
import { kindsOf } from './kinds/by-topic.ts';
import type { ForgeOptions, Kind } from './kinds/kind.ts';

/** @param count of each kind, on each topic */
export function forgeRecords(topic: TopicName, count: number, options: ForgeOptions): ForgedRecord[] {
  const { base, versions } = options;
  const kinds: Kind[] = [
    ...anyTopic,
    ...(kindsOf[topic] ?? []),
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
