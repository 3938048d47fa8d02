import type { Broker, Cluster, Logger, PartitionAssigner } from 'kafkajs';
import { createManualClock } from '#lib/clock';
import { withPacedFetches } from '../../../libs/kafka/pace-fetches.ts';

/** A cluster of brokers that answer with so many records, and what each was asked. */
function setUp(records: number) {
  const clock = createManualClock();
  const asked: string[] = [];
  const found: string[] = [];
  const newBroker = (name: string) =>
    ({
      async fetch({ minBytes, maxWaitTime, maxBytes }) {
        asked.push(`${name} ${minBytes} ${maxWaitTime} ${maxBytes}`);
        await clock.sleep(5);
        const messages = Array.from({ length: records }, () => ({}));
        return { responses: [{ partitions: [{ messages: [] }, { messages }] }, { partitions: [{ messages: [{}] }] }] };
      },
    }) as Broker;
  const brokers: Record<string, Broker> = { 1: newBroker('one'), 2: newBroker('two') };
  const cluster = { findBroker: async ({ nodeId }) => brokers[nodeId] } as Cluster;
  let paces = 0;
  const assigner: PartitionAssigner = () => ({ name: 'theirs' }) as ReturnType<PartitionAssigner>;
  const createPace = () => {
    const name = (paces += 1);
    let fetches = 0;
    return {
      next: () => ({ minBytes: (fetches += 1), maxWaitTime: 10 * name }),
      found: (count: number, atMs: number) => void found.push(`${name}: ${count} at ${atMs - startMs}`),
    };
  };
  const startMs = clock.monotonicMs();
  const made = withPacedFetches(assigner, createPace, clock)({ cluster, groupId: 'g', logger: {} as Logger });
  const fetchFrom = async (nodeId: string) => {
    const broker = await cluster.findBroker({ nodeId });
    const answer: Promise<unknown> = broker.fetch({ minBytes: 1, maxWaitTime: 100, maxBytes: 77, topics: [] });
    await clock.advance(5);
    await answer;
  };
  return { made, asked, found, fetchFrom };
}

test('each broker’s fetches go at a pace of their own, which is told what each has found', async () => {
  const { made, asked, found, fetchFrom } = setUp(3);
  await fetchFrom('1');
  await fetchFrom('2');
  await fetchFrom('1');
  expect(made.name).toBe('theirs');
  expect(asked).toEqual(['one 1 10 77', 'two 1 20 77', 'one 2 10 77']);
  expect(found).toEqual(['1: 4 at 5', '2: 4 at 10', '1: 4 at 15']);
});
