import type { Cluster, Logger } from 'kafkajs';
import { createJoinGate } from '../../../libs/kafka/kafkajs-patches/join-gate.ts';
import { settle } from './fixtures.ts';

test('a join finds its coordinator only after what has to be done before it, and each is counted', async () => {
  const before = Promise.withResolvers<void>();
  const gate = createJoinGate(() => before.promise);
  let found = 0;
  const cluster = { findGroupCoordinator: async () => void (found += 1) } as unknown as Cluster;
  const assigner = gate.assigner({ cluster, groupId: 'g', logger: {} as Logger });
  expect(assigner.name).toBe('RoundRobinAssigner');

  const finding = cluster.findGroupCoordinator({ groupId: 'g' });
  await settle();
  expect(found).toBe(0);
  before.resolve();
  await finding;
  expect(found).toBe(1);

  expect(assigner.protocol({ topics: ['t'] }).metadata.length).toBeGreaterThan(0);
  assigner.protocol({ topics: ['t'] });
  expect([gate.takeAttempts(), gate.takeAttempts()]).toEqual([2, 0]);
});
