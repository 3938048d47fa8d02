import type { Kafka } from 'kafkajs';
import type { Clock, Logger } from '#lib/runtime';
import { rootCause } from '../../client.ts';
import { clusterOfConsumer } from '../../kafkajs-patches/inner-cluster.ts';
import { within } from '../../time-limit.ts';
import { isBrokerAway } from './crash-policy.ts';
import type { SocketGate } from './socket-gate.ts';

/** Talks to a group's coordinator over a fresh connection, independent of all others. Never throws, and ends within its limit. */
export interface AskCoordinator {
  /** Whether it answers a new client now. A refusal is an answer. */
  answers(): Promise<boolean>;
  /** Removes the member from its group, best effort: otherwise the session time-out does. */
  leave(memberId: string): Promise<void>;
  /** Aborts the calls under way. */
  close(): void;
}

export interface AskCoordinatorOptions {
  groupId: string;
  /** A client and all of its sockets. */
  createClient(): { kafka: Kafka; sockets: SocketGate };
  limitMs: number;
  clock: Clock;
  log: Logger;
}

/** A method of kafkajs's Broker that its types omit. kafkajs's public clients can't remove another member. */
interface LeavableCoordinator {
  leaveGroup(member: { groupId: string; memberId: string }): Promise<unknown>;
}

export function createAskCoordinator(options: AskCoordinatorOptions): AskCoordinator {
  const { groupId, limitMs, clock, log } = options;
  const open = new Set<SocketGate>();

  async function askInTime<T>(work: (kafka: Kafka) => Promise<T>, late: T, failed: (error: Error) => T): Promise<T> {
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
      askInTime(
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
      askInTime(
        async (kafka) => {
          const cluster = clusterOfConsumer(kafka, groupId);
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
