import type { Broker, Cluster, Logger, PartitionAssigner } from 'kafkajs';
import { createManualClock } from '#lib/runtime';
import { withPacedFetches } from '../../../libs/kafka/kafkajs-patches/pace-fetches.ts';

/** A cluster of brokers that answer with so many records, and what each was asked. */
function setUp(records: number) {
  const clock = createManualClock();
  const leaving = new AbortController();
  const asked: string[] = [];
  const found: string[] = [];
  const newBroker = (name: string) =>
    Object.create({
      async fetch({ minBytes, maxWaitTime, maxBytes }: Record<string, number>) {
        asked.push(`${name} ${minBytes} ${maxWaitTime} ${maxBytes}`);
        await clock.sleep(5);
        const messages = Array.from({ length: records }, (_, i) => ({ timestamp: String(1_000 + (i >> 1)) }));
        const alike = { messages: [{ timestamp: '1000' }] };
        return { responses: [{ partitions: [{ messages: [] }, { messages }] }, { partitions: [alike] }] };
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
  const made = withPacedFetches(assigner, { createPace, clock, leaving: leaving.signal })({
    cluster,
    groupId: 'g',
    logger: {} as Logger,
  });
  const fetchFrom = async (nodeId: string, waitMs = 5) => {
    const broker = await cluster.findBroker({ nodeId });
    const answer: Promise<unknown> = broker.fetch({ minBytes: 1, maxWaitTime: 100, maxBytes: 77, topics: [] });
    await clock.advance(waitMs);
    return { answer };
  };
  return { made, asked, found, fetchFrom, leaving, clock };
}

test('each broker’s fetches go at a pace of their own, which is told how many requests brought what each has found', async () => {
  const { made, asked, found, fetchFrom } = setUp(8);
  await fetchFrom('1');
  await fetchFrom('2');
  await fetchFrom('1');
  expect(made.name).toBe('theirs');
  expect(asked).toEqual(['one 1 10 77', 'two 1 20 77', 'one 2 10 77']);
  expect(found).toEqual(['1: 4 at 5', '2: 4 at 10', '1: 4 at 15']);
});

test('who stops waits for no fetch that waits at its broker', async () => {
  const { leaving, fetchFrom, clock } = setUp(3);
  const { answer } = await fetchFrom('1', 0);
  leaving.abort();
  expect(await answer).toEqual({ responses: [] });
  await clock.advance(5);
});
