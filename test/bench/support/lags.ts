import { type GroupName, groupOf, type TopicName, topicsOf } from '#lib/contract';
import type { KafkaOffsets } from '../../support/kafka-offsets.ts';

/** The groups through which a webhook goes, in its order. */
export const lagNames = ['dedup', 'fan-out', 'dispatcher', 'projector'] as const satisfies readonly GroupName[];
export type Lags = Record<(typeof lagNames)[number], Lag>;

interface Lag {
  /** Records that stand on the group's topics. */
  written: number;
  /** Records that it has not committed. */
  lag: number;
}

const readBy: Readonly<Record<GroupName, readonly TopicName[]>> = {
  dedup: ['webhooks.received'],
  'fan-out': ['events'],
  dispatcher: ['deliveries'],
  projector: ['events', 'duplicates', 'delivery.attempts', 'dead-letters'],
};

export async function lagsOf(offsets: KafkaOffsets, topicPrefix: string): Promise<Lags> {
  const names = topicsOf(topicPrefix);
  const of = async (group: GroupName): Promise<Lag> => {
    // First what is committed: what is written meanwhile is lag, and none is below 0.
    const committed = await Promise.all(
      readBy[group].map((name) => offsets.committed(groupOf(topicPrefix, group), names[name])),
    );
    const ends = await offsets.ends(readBy[group].map((name) => names[name]));
    const reached = Object.assign({}, ...committed) as Readonly<Record<string, number>>;
    const written = sum(Object.values(ends));
    return { written, lag: written - sum(Object.keys(ends).map((partition) => reached[partition] ?? 0)) };
  };
  return Object.fromEntries(
    await Promise.all(lagNames.map(async (group) => [group, await of(group)] as const)),
  ) as Lags;
}

/** How far the group that is farthest behind is, in webhooks: some groups have several records to read for each. */
export const webhooksBehind = (lags: Lags): number =>
  Math.max(...lagNames.map((group) => (lags[group].lag * lags.dedup.written) / Math.max(1, lags[group].written)));

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
