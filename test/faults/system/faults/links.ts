/** Bad networks between the services and their servers: every kind of link fault, on one link or several. */
import { shuffled } from '../../../support/seeded-random.ts';
import type { Direction, LinkFault } from '../../network/link-fault.ts';
import { type FaultKind, type FaultWorld, oneOf } from '../fault-kind.ts';
import { brokerIds, brokerLink, sides, storeLink } from '../servers.ts';

/** In front of the receivers: of each endpoint one is the way. */
export const receiverLinks = ['dispatcher to receivers 1', 'dispatcher to receivers 2'] as const;

const links: Readonly<Record<string, readonly string[]>> = {
  kafka: sides.flatMap((side) => brokerIds.map((id) => brokerLink(side, id))),
  redis: sides.map((side) => storeLink(side, 'redis')),
  postgres: sides.map((side) => storeLink(side, 'postgres')),
  receivers: receiverLinks,
};

const directions = ['up', 'down', 'both'] as const satisfies readonly Direction[];

interface BadLink {
  name: string;
  says: string;
  fault(random: () => number): LinkFault;
  leastMs: number;
  mostMs: number;
}

const between = (random: () => number, least: number, most: number): number =>
  Math.round(least + random() * (most - least));

const badLinks: readonly BadLink[] = [
  {
    name: 'latency',
    says: '50 to 500 ms more in one direction or both, and as much again by chance',
    fault(random) {
      const ms = between(random, 50, 500);
      return { kind: 'latency', direction: oneOf(directions, random), ms, jitterMs: ms };
    },
    leastMs: 3_000,
    mostMs: 6_000,
  },
  {
    name: 'bandwidth',
    says: '20 to 200 kB a second in one direction or both',
    fault: (random) => ({
      kind: 'bandwidth',
      direction: oneOf(directions, random),
      bytesPerSecond: between(random, 20_000, 200_000),
    }),
    leastMs: 3_000,
    mostMs: 6_000,
  },
  {
    name: 'slices',
    says: 'messages in pieces of 20 to 200 bytes, some milliseconds apart',
    fault: (random) => ({
      kind: 'slices',
      direction: oneOf(directions, random),
      bytes: between(random, 20, 200),
      pauseMs: between(random, 1, 3),
    }),
    leastMs: 3_000,
    mostMs: 6_000,
  },
  {
    name: 'black-hole',
    says: 'nothing comes out in either direction for 3 to 12 s',
    fault: () => ({ kind: 'black-hole', direction: 'both' }),
    leastMs: 3_000,
    mostMs: 12_000,
  },
  {
    name: 'one-way',
    says: 'nothing comes out in one direction for 3 to 12 s',
    fault: (random) => ({ kind: 'black-hole', direction: oneOf(['up', 'down'], random) }),
    leastMs: 3_000,
    mostMs: 12_000,
  },
  {
    name: 'resets',
    says: 'every connection is reset, and each new one, for 1 to 5 s',
    fault: () => ({ kind: 'resets' }),
    leastMs: 1_000,
    mostMs: 5_000,
  },
  {
    name: 'cuts',
    says: 'every connection is reset after 1 to 50 kB more: in the middle of a message',
    fault: (random) => ({ kind: 'cuts', afterBytes: between(random, 1_000, 50_000) }),
    leastMs: 2_000,
    mostMs: 5_000,
  },
  {
    name: 'slow-close',
    says: 'the end of a connection is passed on 1 to 5 s later',
    fault: (random) => ({ kind: 'slow-close', direction: 'both', ms: between(random, 1_000, 5_000) }),
    leastMs: 3_000,
    mostMs: 6_000,
  },
];

async function spoil(world: FaultWorld, to: string, { name, fault, leastMs, mostMs }: BadLink): Promise<void> {
  const { random, servers, pause } = world;
  const all = links[to] ?? [];
  // One, some or all; all means that no connection gets through.
  const chosen = shuffled(all, random).slice(0, between(random, 1, all.length));
  const how = fault(random);
  await world.during(`${name} of ${chosen.join(', ')} (${JSON.stringify(how)})`, async () => {
    await Promise.all(chosen.map((link) => servers.network.set(link, how)));
    await pause(leastMs, mostMs);
    await Promise.all(chosen.map((link) => servers.network.set(link, undefined)));
  });
}

export const linkFaults: readonly FaultKind[] = Object.keys(links).flatMap((to) =>
  badLinks.map((bad): FaultKind => ({
    name: `${bad.name}-to-${to}`,
    says: bad.says,
    track: to === 'kafka' ? 'broker links' : 'other links',
    inflict: (world) => spoil(world, to, bad),
  })),
);
