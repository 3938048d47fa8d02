import type { Mutant } from './mutant.ts';

const test = 'test/unit/kafka/supervised-consumer.test.ts';

/** Ways in libs/kafka in which a consumer stands still, or does harm beside the one that was built in its place. */
export const consumingMutants: readonly Mutant[] = [
  {
    name: 'goes on fetching without a membership once its group has given it up and a join has failed',
    edits: [{ in: 'applyPatches', without: 'rejoinWithoutMemberId' }],
    byDay: { test: 'test/integration/kafka/forgotten-member.test.ts', title: 'joins again and reads on' },
    budgetSeconds: 120,
  },
  {
    name: 'takes partitions for its own surely before the consumer that was built anew has been heard of',
    edits: [{ in: 'createConsumer.holdsMembership', returns: 'presence.isMember()' }],
    byDay: { test, title: 'owns nothing surely before the next one has joined' },
    budgetSeconds: 60,
  },
  {
    name: 'leaves a consumer at its work that was thrown away, and has its late outcomes committed',
    edits: [
      { in: 'createConsumption.discard', without: 'stopping.abort' },
      { in: 'createConsumption.discard', without: 'membership.leave' },
      { in: 'createConsumption.discard', replace: 'assignment.dropAll()', with: 'assignment.workers()' },
    ],
    byDay: { test, title: 'nothing that a former one still hears or does counts' },
    budgetSeconds: 60,
  },
  {
    name: 'hands records to a partition’s new handler while the one before is still at work',
    edits: [
      { in: 'createConsumption', replace: 'createAssignment($worker, $returning)', with: 'createAssignment($worker)' },
    ],
    byDay: { test, title: 'a partition waits for its former handler' },
    budgetSeconds: 60,
  },
  {
    name: 'builds consumers anew while Kafka answers nobody, until the process ends of it',
    edits: [{ in: 'createConsumer.answersOthers', value: 'async () => true' }],
    byDay: { test, title: 'while the coordinator answers nobody none is built anew' },
    budgetSeconds: 60,
  },
];
