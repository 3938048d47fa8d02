interface TopicFacts {
  retentionMs: number;
  /** Its values are Avro, by `schemas/<topic>.avsc`. */
  isAvro: boolean;
}

const day = 24 * 3_600_000;

/**
 * The topics, without the prefix (`HOOKLINE_TOPIC_PREFIX`) that every deployment puts before them. Records that are read once and then stored
 * in Postgres must outlive the longest outage of their reader; dead letters must outlive a holiday.
 */
const facts = {
  'webhooks.received': { retentionMs: 7 * day, isAvro: false },
  events: { retentionMs: 7 * day, isAvro: true },
  deliveries: { retentionMs: 7 * day, isAvro: false },
  'delivery.attempts': { retentionMs: 7 * day, isAvro: true },
  duplicates: { retentionMs: 7 * day, isAvro: false },
  'dead-letters': { retentionMs: 30 * day, isAvro: false },
} as const satisfies Record<string, TopicFacts>;

type Facts = typeof facts;
export type TopicName = keyof Facts;
export type AvroTopic = { [name in TopicName]: Facts[name]['isAvro'] extends true ? name : never }[TopicName];

export const topicNames = Object.keys(facts) as TopicName[];
export const avroTopics = topicNames.filter((name): name is AvroTopic => facts[name].isAvro);
export const retentionMsOf = (name: TopicName): number => facts[name].retentionMs;

export type Topics = Readonly<Record<TopicName, string>>;

/** Full topic names by short name. */
export function topicsOf(prefix: string): Topics {
  return Object.fromEntries(topicNames.map((name) => [name, `${prefix}${name}`])) as Topics;
}

/** Consumer groups, without the prefix. */
export type GroupName = 'dedup' | 'fan-out' | 'dispatcher' | 'projector';

export const groupOf = (prefix: string, group: GroupName): string => `${prefix}${group}`;
