/** The consumers of each topic, as the brokers know them: a new consumer is among them by itself. */
import { type DeadLetterStage, deadLetterStages, topicNames, type TopicName, topicsOf } from '#lib/contract';
import { silentLogger } from '#lib/runtime';
import { createClient } from '../../../../libs/kafka/client.ts';
import type { Stack } from '../../../support/stack.ts';
import { waitUntil } from '../../../support/wait-until.ts';

export interface TopicReader {
  /** A group has the name of the stage that its dead letters have. */
  stage: DeadLetterStage;
  topic: TopicName;
}

const joinedTimeoutMs = 30_000;

/** @throws Error where a group is none of the stages that dead letters can come from */
export async function findReaders({ kafkaBrokers, topicPrefix }: Stack): Promise<TopicReader[]> {
  const topics = topicsOf(topicPrefix);
  const admin = createClient({ brokers: kafkaBrokers, clientId: 'fuzzing', log: silentLogger }).admin();
  await admin.connect();
  const look = async (): Promise<TopicReader[] | undefined> => {
    const ids = (await admin.listGroups()).groups
      .map(({ groupId }) => groupId)
      .filter((id) => id.startsWith(topicPrefix));
    const { groups } = ids.length === 0 ? { groups: [] } : await admin.describeGroups(ids);
    const readers = groups.flatMap(({ groupId, members }) => {
      // The name of each topic stands in a member's assignment as it is.
      const assigned = members.map(({ memberAssignment }) => memberAssignment.toString('latin1')).join();
      const read = topicNames.filter((name) => assigned.includes(topics[name]));
      const stage = deadLetterStages.find((known) => `${topicPrefix}${known}` === groupId);
      if (stage === undefined && read.length > 0)
        throw new Error(`${groupId} is no stage of dead letters, and reads ${read.join()}`);
      return stage === undefined ? [] : read.map((topic) => ({ stage, topic }));
    });
    return topicNames.every((name) => readers.some(({ topic }) => topic === name)) ? readers : undefined;
  };
  try {
    return await waitUntil('every topic has a reader', look, { timeoutMs: joinedTimeoutMs, everyMs: 500 });
  } finally {
    await admin.disconnect();
  }
}
