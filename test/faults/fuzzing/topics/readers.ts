/** The consumers of each topic, as the brokers know them: a new consumer is among them by itself. */
import { type DeadLetterStage, deadLetterStages, topicNames, type TopicName, topicsOf } from '#lib/contract';
import { silentLogger } from '#lib/log';
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
  const admin = createClient({ brokers: kafkaBrokers, clientId: 'fuzzing', log: silentLogger }).admin();
  await admin.connect();
  try {
    return await waitUntil('every topic has a reader', async () => readersAmong(await groupsOf()), {
      timeoutMs: joinedTimeoutMs,
      everyMs: 500,
    });
  } finally {
    await admin.disconnect();
  }

  /** By group, the topics that its members have partitions of. */
  async function groupsOf(): Promise<Map<string, Set<string>>> {
    const { groups } = await admin.listGroups();
    const ids = groups.map(({ groupId }) => groupId).filter((id) => id.startsWith(topicPrefix));
    const described = ids.length === 0 ? [] : (await admin.describeGroups(ids)).groups;
    return new Map(
      described.map(({ groupId, members }) => [
        groupId.slice(topicPrefix.length),
        // The name of each topic stands in a member's assignment as it is.
        new Set(members.flatMap(({ memberAssignment }) => topicsNamedIn(memberAssignment.toString('latin1')))),
      ]),
    );
  }

  function topicsNamedIn(assignment: string): string[] {
    const topics = topicsOf(topicPrefix);
    return topicNames.filter((name) => assignment.includes(topics[name]));
  }
}

function readersAmong(groups: ReadonlyMap<string, ReadonlySet<string>>): TopicReader[] | undefined {
  const readers = [...groups].flatMap(([group, topics]) =>
    [...topics].map((topic): TopicReader => {
      const stage = deadLetterStages.find((known) => known === group);
      if (stage === undefined) throw new Error(`the group ${group} reads ${topic}, and is no stage of letters`);
      return { stage, topic: topic as TopicName };
    }),
  );
  return topicNames.every((name) => readers.some(({ topic }) => topic === name)) ? readers : undefined;
}
