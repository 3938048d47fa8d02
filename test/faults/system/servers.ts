/** Three brokers, Redis and Postgres of the run's own, each behind links that can be made as bad as networks are. */
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import type { Broker } from '#deploy/local/servers/kafka.ts';
import type { ProcessName } from '../../support/pipeline.ts';
import { type Network, startNetwork } from '../network/network.ts';
import { type OwnServers, startFaultyServers } from '../support/servers.ts';
import { type Disks, mountDisks, type NoDisks } from './disks.ts';

/** Each service has one process on each side. */
export const sides = ['a', 'b'] as const;
export type Side = (typeof sides)[number];

export const sideOf = (name: ProcessName): Side => (name.endsWith('-2') ? 'b' : 'a');

export const brokerIds = [1, 2, 3] as const;
export type BrokerId = (typeof brokerIds)[number];

export const brokerLink = (side: Side, id: BrokerId): string => `${side} to kafka-${id}`;
export const storeLink = (side: Side, store: 'redis' | 'postgres'): string => `${side} to ${store}`;

export interface SystemServers extends OwnServers {
  network: Network;
  disks: Disks | NoDisks;
  /** The servers as a process of this side is to reach them. */
  envOf(side: Side): Readonly<Record<string, string>>;
}

/** @param seed of what the links leave to chance */
export async function startSystemServers(seed: number): Promise<SystemServers> {
  const network = startNetwork(seed);
  let disks: Disks | NoDisks = { whyNot: 'no disk was asked for' };
  try {
    const brokers = await Promise.all(brokerIds.map((id) => planBroker(id, network)));
    const servers = await startFaultyServers(brokers, (dir) => (disks = mountDisks(dir, `kafka-${brokerIds.at(-1)}`)));
    const linked = async (link: string, url: string): Promise<string> => {
      const through = new URL(url);
      through.port = String(await network.open(link, Number(through.port)));
      return through.href;
    };
    const { redisUrl, databaseUrl } = servers.addresses;
    const envs = await Promise.all(
      sides.map(async (side, index) => ({
        HOOKLINE_KAFKA_BROKERS: brokers
          .map(({ listeners }) => `127.0.0.1:${listeners?.[index]?.advertisedPort}`)
          .join(','),
        HOOKLINE_REDIS_URL: await linked(storeLink(side, 'redis'), redisUrl),
        HOOKLINE_DATABASE_URL: await linked(storeLink(side, 'postgres'), databaseUrl),
      })),
    );
    return {
      ...servers,
      network,
      disks,
      envOf: (side) => envs[sides.indexOf(side)] ?? {},
      async close() {
        if (!('whyNot' in disks)) {
          // A server that still has a disk keeps it from going.
          await Promise.all([servers.brokers.at(-1)?.stop(), servers.postgres.stop()]);
          disks.release();
        }
        await servers.close();
        await network.close();
      },
    };
  } catch (error) {
    await network.close();
    throw error;
  }
}

/** One listener for each side, which tells its clients to come by the side's links. */
async function planBroker(id: BrokerId, network: Network): Promise<Broker> {
  const [port = 0, controllerPort = 0, ...ports] = await freePorts(2 + sides.length);
  const listeners = await Promise.all(
    sides.map(async (side, index) => {
      const listener = ports[index] ?? 0;
      const advertisedPort = await network.open(brokerLink(side, id), listener);
      return { name: `SIDE_${side.toUpperCase()}`, port: listener, advertisedPort };
    }),
  );
  return { id, port, controllerPort, listeners };
}
