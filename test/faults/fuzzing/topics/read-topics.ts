import { randomUUID } from 'node:crypto';
import { systemClock } from '#lib/clock';
import { type TopicName, topicsOf } from '#lib/contract';
import { createConsumer, type IncomingRecord } from '#lib/kafka';
import { silentLogger } from '#lib/log';
import { Metrics } from '#lib/telemetry';
import { connectKafkaOffsets } from '../../../support/kafka-offsets.ts';
import type { Stack } from '../../../support/stack.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const timeoutMs = 60_000;

/** All that stands on these topics now, in the order of each partition. */
export async function readTopics(
  { kafkaBrokers, topicPrefix }: Stack,
  names: readonly TopicName[],
): Promise<Map<TopicName, IncomingRecord[]>> {
  const topics = topicsOf(topicPrefix);
  const found = new Map<TopicName, IncomingRecord[]>(names.map((name) => [name, []]));
  const reached = new Map<string, number>();
  const offsets = await connectKafkaOffsets(kafkaBrokers);
  let failure: Error | undefined;
  const consumer = createConsumer({
    ...{ clock: systemClock, log: silentLogger, metrics: new Metrics() },
    ...{ brokers: kafkaBrokers, clientId: 'fuzzing', groupId: `${topicPrefix}fuzzing-${randomUUID()}` },
    topics: names.map((name) => topics[name]),
    handle: async (records) => {
      for (const record of records) {
        const name = names.find((each) => topics[each] === record.topic);
        if (name !== undefined) found.get(name)?.push(record);
        reached.set(`${record.topic}-${record.partition}`, Number(record.offset) + 1);
        record.done();
      }
    },
    onFailure: (error) => (failure = error),
  });
  try {
    await consumer.start();
    const ends = Object.entries(await offsets.ends(names.map((name) => topics[name])));
    await waitUntil(
      'the topics are read to their ends',
      () => {
        if (failure !== undefined) throw failure;
        return ends.every(([partition, end]) => (reached.get(partition) ?? 0) >= end);
      },
      { timeoutMs },
    );
    return found;
  } finally {
    await Promise.all([consumer.stop(), offsets.close()]);
  }
}
