import { randomUUID } from 'node:crypto';
import { header, topicsOf } from '#lib/contract';
import { createConsumer } from '#lib/kafka';
import { silentLogger, systemClock } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { connectKafkaOffsets } from './kafka-offsets.ts';
import type { Stack } from './stack.ts';
import { waitUntil } from './wait-until.ts';
import { noneUndecodable } from './none-undecodable.ts';

const timeoutMs = 300_000;

/** The receipt ids of all records that stand on the topic of received webhooks now, each as often as it stands there. */
export async function receiptsOnTopic({ kafkaBrokers, topicPrefix }: Stack): Promise<Map<string, number>> {
  const topic = topicsOf(topicPrefix)['webhooks.received'];
  const receipts = new Map<string, number>();
  const reached = new Map<string, number>();
  let failure: Error | undefined;
  const reader = createConsumer({
    brokers: kafkaBrokers,
    clientId: 'overload',
    groupId: `${topicPrefix}overload-${randomUUID()}`,
    topics: [topic],
    clock: systemClock,
    log: silentLogger,
    metrics: new Metrics(),
    onUndecodable: noneUndecodable,
    handle: async (records) => {
      for (const record of records) {
        const id = record.headers[header.receiptId] ?? '';
        receipts.set(id, (receipts.get(id) ?? 0) + 1);
        reached.set(`${topic}-${record.partition}`, Number(record.offset) + 1);
        record.done();
      }
    },
    onFailure: (error) => (failure = error),
  });
  const kafka = await connectKafkaOffsets(kafkaBrokers);
  try {
    const ends = Object.entries(await kafka.ends([topic]));
    await reader.start();
    await waitUntil(
      'the topic is read to its end',
      () => {
        if (failure !== undefined) throw failure;
        return ends.every(([partition, end]) => (reached.get(partition) ?? 0) >= end);
      },
      { timeoutMs, describe: () => JSON.stringify([ends, [...reached]]) },
    );
    return receipts;
  } finally {
    await reader.stop();
    await kafka.close();
  }
}
