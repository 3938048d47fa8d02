import { createRequire } from 'node:module';
import { keepJoinGenerations, takeJoinGeneration } from '../../../libs/kafka/kafkajs-patches/join-generation.ts';

interface Broker {
  joinGroup(asked: { groupId: string }): Promise<{ memberId: string; generationId: number }>;
}
const { prototype } = createRequire(import.meta.url)('kafkajs/src/broker/index.js') as { prototype: Broker };

/** A broker that answers each join with the next generation. */
function openBroker(): Broker {
  let generationId = 6;
  prototype.joinGroup = async ({ groupId }) => ({ memberId: `${groupId}-1`, generationId: (generationId += 1) });
  keepJoinGenerations();
  return Object.create(prototype) as Broker;
}

const unpatched = prototype.joinGroup;
afterEach(() => void (prototype.joinGroup = unpatched));

test('the generation of a member’s last join is known until it is asked for', async () => {
  const broker = openBroker();
  expect(takeJoinGeneration('a-1')).toBeUndefined();
  await broker.joinGroup({ groupId: 'a' });
  await broker.joinGroup({ groupId: 'a' });
  await broker.joinGroup({ groupId: 'b' });
  expect([takeJoinGeneration('a-1'), takeJoinGeneration('b-1')]).toEqual([8, 9]);
  expect(takeJoinGeneration('a-1')).toBeUndefined();
});

test('joins that never complete are forgotten', async () => {
  const broker = openBroker();
  for (let join = 0; join < 101; join += 1) await broker.joinGroup({ groupId: `group-${join}` });
  expect(takeJoinGeneration('group-0-1')).toBeUndefined();
  expect(takeJoinGeneration('group-1-1')).toBe(8);
});
