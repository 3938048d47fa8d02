/**
 * The mutant of the conformance suite: the plain client, used as its manual says, under the same faults. These tests pass while it goes
 * wrong; when one fails, the rule of libs/kafka that it stands for may no longer be needed, or the fault is no longer provoked.
 */
import type { Consumer, EachBatchPayload } from 'kafkajs';
import { waitUntil } from '../wait-until.ts';
import { inTime } from './in-time.ts';
import type { TestCluster } from './cluster.ts';
import { missingOf, type SendAll, sendAcrossMovedLeader } from './moved-leader.ts';

export function plainClient(cluster: () => TestCluster): void {
  it.each([
    { records: 'records with keys', keyed: true },
    { records: 'records without a key', keyed: false },
  ])(
    'loses $records that it reports as sent, when a batch spans brokers and a leader has moved to one that has answered',
    async ({ keyed }) => {
      const producer = await cluster().plainProducer();
      const send: SendAll = async (topic, records) => {
        await producer.send({ topic, messages: records.map(({ key, value }) => ({ key, value })) });
        return records.map(({ value }) => value);
      };
      const sent = await sendAcrossMovedLeader(cluster(), `plain-moved-${keyed}`, { keyed }, send);
      await producer.disconnect();
      const lost = missingOf(sent);
      console.log(`plain client: reported as sent ${sent.reported.length}, not on the topic ${lost.length}`);
      expect(sent.reported).toHaveLength(60);
      expect(lost.length).toBeGreaterThan(0);
    },
  );

  it('rewinds a partition that it has lost, by a late commit', async () => {
    const topic = await cluster().createTopic('plain-rewind', [
      [1, 2, 3],
      [2, 3, 1],
      [3, 1, 2],
      [1, 3, 2],
    ]);
    const groupId = `${topic}-group`;
    const producer = await cluster().plainProducer();
    const messages = Array.from({ length: 10 }, (_, i) => ({ value: `${i}` }));
    // One by one: over several brokers this client may lose some without a word.
    for (let partition = 0; partition < 4; partition += 1)
      await waitUntil(
        `partition ${partition} has records`,
        () =>
          producer.send({ topic, messages: messages.map((message) => ({ ...message, partition })) }).then(
            () => true,
            () => false,
          ),
        inTime,
      );
    const first = await join(cluster(), { groupId, topic });
    await waitUntil('the first consumer has all partitions', () => first.partitions().length === 4, inTime);
    const second = await join(cluster(), { groupId, topic, commit: true });
    try {
      await waitUntil(
        'the partitions are shared',
        () => second.partitions().length === 2 && first.partitions().length === 2,
        inTime,
      );
      const lost = second.partitions()[0] ?? 0;
      const committed = async () => (await cluster().committed(groupId, topic))[lost];
      await waitUntil('the new owner has committed', async () => ((await committed()) ?? 0) >= messages.length, inTime);
      await first.consumer.commitOffsets([{ topic, partition: lost, offset: '1' }]);
      expect(await committed()).toBe(1);
    } finally {
      await Promise.all([first.consumer.disconnect(), second.consumer.disconnect(), producer.disconnect()]);
    }
  });
}

interface Member {
  consumer: Consumer;
  partitions(): number[];
}

async function join(
  cluster: TestCluster,
  { groupId, topic, commit = false }: { groupId: string; topic: string; commit?: boolean },
): Promise<Member> {
  const consumer = cluster.plainClient().consumer({ groupId, sessionTimeout: 6_000, heartbeatInterval: 500 });
  let partitions: number[] = [];
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    partitions = payload.memberAssignment[topic] ?? [];
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  const eachBatch = async (_payload: EachBatchPayload): Promise<void> => undefined;
  await consumer.run({ autoCommit: commit, eachBatch });
  return { consumer, partitions: () => partitions };
}
