/** Brokers that die, are restarted, hang, give up their leaderships; one, or all. */
import type { MortalServer } from '../../support/servers.ts';
import { type FaultKind, type FaultWorld, oneOf } from '../fault-kind.ts';
import { type BrokerId, brokerIds, brokerLink, sides } from '../servers.ts';

const brokerOf = ({ servers }: FaultWorld, id: BrokerId): MortalServer => {
  const broker = servers.brokers[id - 1];
  if (broker === undefined) throw new Error(`there is no broker ${id}`);
  return broker;
};

/** While the broker is down, its links refuse connections too. */
async function away(
  world: FaultWorld,
  id: BrokerId,
  how: 'stop' | 'kill',
  leastMs: number,
  mostMs: number,
): Promise<void> {
  const { network } = world.servers;
  const links = sides.map((side) => brokerLink(side, id));
  await brokerOf(world, id)[how]();
  await Promise.all(links.map((link) => network.set(link, { kind: 'refuses' })));
  await world.pause(leastMs, mostMs);
  await Promise.all(links.map((link) => network.set(link, undefined)));
  await brokerOf(world, id).start();
}

/** The last broker alone: others have no disk that can be full. */
const onDisk = brokerIds.at(-1) ?? 3;

export const brokerFaults: readonly FaultKind[] = [
  {
    name: 'broker-killed',
    says: 'kill -9 of one of the three for 4 to 8 s',
    track: 'brokers',
    async inflict(world) {
      const id = oneOf(brokerIds, world.random);
      await world.during(`kafka-${id} killed`, () => away(world, id, 'kill', 4_000, 8_000));
    },
  },
  {
    name: 'leaders-moved',
    says: 'each broker stopped in order, which gives its leaderships to the others, and started again',
    track: 'brokers',
    async inflict(world) {
      for (const id of brokerIds)
        await world.during(`kafka-${id} restarted`, () => away(world, id, 'stop', 500, 1_500));
    },
  },
  {
    name: 'broker-hangs',
    says: 'SIGSTOP of one of the three for 8 to 12 s: past its session',
    track: 'brokers',
    async inflict(world) {
      const id = oneOf(brokerIds, world.random);
      await world.during(`kafka-${id} hangs`, async () => {
        brokerOf(world, id).hang();
        await world.pause(8_000, 12_000).finally(() => brokerOf(world, id).resume());
      });
    },
  },
  {
    name: 'all-brokers-killed',
    says: 'kill -9 of all three for 4 to 8 s',
    track: 'brokers',
    async inflict(world) {
      await world.during('all brokers killed', async () => {
        await Promise.all(brokerIds.map((id) => away(world, id, 'kill', 4_000, 8_000)));
      });
    },
  },
  {
    name: 'broker-disk-full',
    says: `nothing more finds room on the disk of kafka-${onDisk} for 4 to 8 s; it is ended, and started when there is room again`,
    track: 'brokers',
    leftOut: ({ disks }) => ('whyNot' in disks ? disks.whyNot : undefined),
    async inflict(world) {
      const { disks } = world.servers;
      if ('whyNot' in disks) throw new Error(disks.whyNot);
      await world.during(`kafka-${onDisk}: disk full`, async () => {
        disks.kafka.fill();
        await world.pause(4_000, 8_000).finally(() => disks.kafka.empty());
        // One that has met the end of its disk does not write there again.
        await brokerOf(world, onDisk).kill();
        await brokerOf(world, onDisk).start();
      });
    },
  },
];
