import type { Cluster, Kafka } from 'kafkajs';
import type { Clock } from '#lib/clock';
import type { Logger } from '#lib/log';
import { rootCause } from '../../client.ts';
import { within } from '../../time-limit.ts';
import { isBrokerAway } from './crash-policy.ts';
import type { SocketGate } from './socket-gate.ts';

/** Talks to a group's coordinator over a fresh connection, whatever has become of all others. Never throws, and ends within its limit. */
export interface AskCoordinator {
  /** Whether it answers somebody who asks it now. An answer that refuses is one. */
  answers(): Promise<boolean>;
  /** Has the member leave its group, as far as that can be had: else the session time-out does it. */
  leave(memberId: string): Promise<void>;
  /** Cuts off what is still being asked. */
  close(): void;
}

export interface AskCoordinatorOptions {
  groupId: string;
  /** A client, and all of its sockets. */
  createClient(): { kafka: Kafka; sockets: SocketGate };
  limitMs: number;
  clock: Clock;
  log: Logger;
}

/** kafkajs's Broker has it; its types don't say so. */
interface LeavableCoordinator {
  leaveGroup(member: { groupId: string; memberId: string }): Promise<unknown>;
}

export function createAskCoordinator(options: AskCoordinatorOptions): AskCoordinator {
  const { groupId, limitMs, clock, log } = options;
  const open = new Set<SocketGate>();

  async function briefly<T>(work: (kafka: Kafka) => Promise<T>, late: T, failed: (error: Error) => T): Promise<T> {
    const { kafka, sockets } = options.createClient();
    open.add(sockets);
    const outcome = work(kafka).catch((error: unknown) => {
      log.debug({ event: 'kafka.coordinator_not_reached', group: groupId, err: error });
      return failed(rootCause(error));
    });
    try {
      return await within(clock, limitMs, outcome, () => late);
    } finally {
      open.delete(sockets);
      sockets.close();
    }
  }

  return {
    answers: () =>
      briefly(
        async (kafka) => {
          const admin = kafka.admin();
          await admin.connect();
          await admin.describeGroups([groupId]);
          return true;
        },
        false,
        (error) => !isBrokerAway(error),
      ),
    leave: (memberId) =>
      briefly(
        async (kafka) => {
          const cluster = clusterOf(kafka, groupId);
          await cluster.connect();
          const coordinator = await cluster.findGroupCoordinator({ groupId });
          await (coordinator as typeof coordinator & LeavableCoordinator).leaveGroup({ groupId, memberId });
        },
        undefined,
        () => undefined,
      ),
    close() {
      for (const sockets of open) sockets.close();
    },
  };
}

/** kafkajs has no call that has another member leave. An assigner is given the cluster that its consumer uses, which has. */
function clusterOf(kafka: Kafka, groupId: string): Cluster {
  let found: Cluster | undefined;
  kafka.consumer({
    groupId,
    partitionAssigners: [
      ({ cluster }) => {
        found = cluster;
        return {
          name: 'none',
          version: 0,
          assign: async () => [],
          protocol: () => ({ name: 'none', metadata: Buffer.alloc(0) }),
        };
      },
    ],
  });
  if (found === undefined) throw new Error('kafkajs made no assigner');
  return found;
}
