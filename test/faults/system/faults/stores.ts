/** Redis and Postgres that die, forget, refuse and hang. */
import type { FaultKind, FaultWorld } from '../fault-kind.ts';
import { sides, storeLink } from '../servers.ts';

const seconds = ({ random }: FaultWorld, least: number, most: number): number => least + random() * (most - least);

/** While the store is down, its links refuse connections too. */
async function away(
  world: FaultWorld,
  store: 'redis' | 'postgres',
  how: 'stopped' | 'killed',
  s: number,
): Promise<void> {
  const { network } = world.servers;
  const links = sides.map((side) => storeLink(side, store));
  await Promise.all(links.map((link) => network.set(link, { kind: 'refuses' })));
  await world.havoc.away(store, how, s);
  await Promise.all(links.map((link) => network.set(link, undefined)));
}

export const storeFaults: readonly FaultKind[] = [
  {
    name: 'redis-killed',
    says: 'kill -9 of Redis for 1 to 6 s, started empty',
    track: 'stores',
    inflict: (world) => away(world, 'redis', 'killed', seconds(world, 1, 6)),
  },
  {
    name: 'redis-forgets',
    says: 'FLUSHALL, three times',
    track: 'stores',
    async inflict({ havoc, pause }) {
      for (let turn = 0; turn < 3; turn += 1) {
        await havoc.forget();
        await pause(500, 2_000);
      }
    },
  },
  {
    name: 'redis-hangs',
    says: 'SIGSTOP of Redis for 5 to 8 s',
    track: 'stores',
    inflict: (world) => world.havoc.away('redis', 'hanging', seconds(world, 5, 8)),
  },
  {
    name: 'postgres-killed',
    says: 'immediate shutdown of Postgres for 1 to 5 s: it recovers from its log',
    track: 'stores',
    inflict: (world) => away(world, 'postgres', 'killed', seconds(world, 1, 5)),
  },
  {
    name: 'postgres-restarted',
    says: 'fast shutdown of Postgres for 1 to 5 s',
    track: 'stores',
    inflict: (world) => away(world, 'postgres', 'stopped', seconds(world, 1, 5)),
  },
  {
    name: 'postgres-hangs',
    says: 'SIGSTOP of Postgres and all its processes for 6 to 10 s',
    track: 'stores',
    inflict: (world) => world.havoc.away('postgres', 'hanging', seconds(world, 6, 10)),
  },
  {
    name: 'postgres-disk-full',
    says: 'nothing more finds room on the disk of Postgres, its log included, for 3 to 6 s; started where it has ended of that',
    track: 'stores',
    leftOut: ({ disks }) => ('whyNot' in disks ? disks.whyNot : undefined),
    async inflict({ servers: { disks, postgres }, during, pause }) {
      if ('whyNot' in disks) throw new Error(disks.whyNot);
      await during('postgres: disk full', async () => {
        disks.postgres.fill();
        await pause(3_000, 6_000).finally(() => disks.postgres.empty());
        await postgres.start();
      });
    },
  },
];
