import { partitionOf } from '#lib/kafka';
import type { KafkaClient } from '../kafka-conformance.ts';
import { waitUntil } from '../wait-until.ts';
import type { TestCluster } from './cluster.ts';
import { inTime } from './in-time.ts';
import { consumerOptions, keysByPartition, placeOf, producerOptions, runningParts } from './setup.ts';

/** In as many groups: one of 24 stood still in every second run of such faults, while connections were not what they were taken for. */
const consumers = 12;
const replicas = [
  [1, 2, 3],
  [2, 3, 1],
  [3, 1, 2],
];

export function standingStill(client: KafkaClient, cluster: () => TestCluster): void {
  const run = runningParts();

  it('has every consumer of many groups read on after the brokers died one after the other, and all at once', async () => {
    const topic = await cluster().createTopic('standing-still', replicas);
    const seen = Array.from({ length: consumers }, () => new Set<string>());
    for (const [n, own] of seen.entries())
      await run(
        client.createConsumer(
          consumerOptions({
            brokers: cluster().brokers,
            groupId: `${topic}-${n}`,
            topics: [topic],
            handle: async (records) => {
              for (const record of records) {
                own.add(`${placeOf(record)}-${record.offset}`);
                record.done();
              }
            },
          }),
        ),
      );
    const producer = await run(client.createProducer(producerOptions(cluster().brokers, { topics: [topic] })));
    const written: string[] = [];
    const allReadOn = async (what: string): Promise<void> => {
      for (const key of keysByPartition(replicas.length)) {
        const send = () => producer.send({ topic, key, value: Buffer.from('x'), headers: {} }).catch(() => undefined);
        const { offset } = await waitUntil(`${key} is written`, send, inTime);
        written.push(`${topic}/${partitionOf(key, replicas.length)}-${offset}`);
      }
      const behind = (): number[] =>
        [...seen.keys()].filter((n) => written.some((place) => seen[n]?.has(place) !== true));
      await waitUntil(`all have read on, ${what}`, () => behind().length === 0, {
        ...inTime,
        describe: () => `standing still: ${behind().join(', ')}`,
      });
    };

    await allReadOn('at first');
    for (const id of cluster().brokerIds) {
      await cluster().kill(id);
      await cluster().restart(id);
    }
    await allReadOn('after one broker after the other');
    await Promise.all(cluster().brokerIds.map((id) => cluster().kill(id)));
    await Promise.all(cluster().brokerIds.map((id) => cluster().restart(id)));
    await allReadOn('after all brokers');
  });
}
