import { type DeadLetterStage, header, type Topics, unpackHeaders } from '#lib/contract';
import type { OutgoingRecord } from '#lib/kafka';
import type { ReplayItem } from '#lib/replay-store';

/**
 * The failed record for the topic that it came from: its key, headers and bytes unchanged, and headers that mark it as replayed. Undefined
 * if the topic is not ours (the prefix has changed since).
 */
export function recordOfDeadLetter(
  { stage, origin, generation, key, headers, value }: Extract<ReplayItem, { kind: 'record' }>,
  topics: Topics,
): OutgoingRecord | undefined {
  const topic = topicOf(stage, origin, topics);
  if (topic === undefined) return undefined;
  return {
    topic,
    key,
    value,
    headers: {
      ...unpackHeaders(headers),
      [header.origin]: origin,
      [header.generation]: String(generation),
      [header.replayFor]: stage,
    },
  };
}

function topicOf(stage: DeadLetterStage, origin: string, topics: Topics): string | undefined {
  switch (stage) {
    case 'dedup':
      return topics['webhooks.received'];
    case 'fan-out':
      return topics.events;
    case 'dispatcher':
      return topics.deliveries;
    case 'projector': {
      // The projector reads several topics, and the origin says which: topic-partition-offset.
      const [, topic] = /^(.+)-\d+-\d+$/.exec(origin) ?? [];
      return Object.values(topics).find((known) => known === topic);
    }
  }
}
