/** The topics, without the prefix (`HOOKLINE_TOPIC_PREFIX`) that every deployment puts before them. */
export const topicNames = [
  'webhooks.received',
  'events',
  'deliveries',
  'delivery.attempts',
  'duplicates',
  'dead-letters',
] as const;

export type TopicName = (typeof topicNames)[number];

export type Topics = Readonly<Record<TopicName, string>>;

/** Full topic names by short name. */
export function topicsOf(prefix: string): Topics {
  return Object.fromEntries(topicNames.map((name) => [name, `${prefix}${name}`])) as Topics;
}

/** Consumer groups, without the prefix. */
export type GroupName = 'dedup' | 'fan-out' | 'dispatcher' | 'projector';

export const groupOf = (prefix: string, group: GroupName): string => `${prefix}${group}`;
