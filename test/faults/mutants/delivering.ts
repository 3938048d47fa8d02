import type { Edit } from './edits/index.ts';
import type { Mutant, RunCheck } from './mutant.ts';

const delivering = (scenario: 'kills' | 'order', ...seenAs: string[]): RunCheck => ({
  run: 'delivering',
  scenario,
  numbers: { deliveries: 6_000, turns: 1 },
  seenAs,
});

const dispatcherTest = (name: string): string => `test/integration/dispatcher/${name}.test.ts`;
const settledFirst = (from: 'record' | 'row'): Edit => ({
  in: 'createOutcomeWriter.write',
  insert: `if (job.from === '${from}') settle(job);
  await deps.clock.sleep(1_000);`,
  before: 'publish',
});

const headPassedOver: Edit = { in: 'createOrderedIntake.take', replace: `if (blocked) return 'full';`, with: '' };

/** Mutants of the dispatcher: ways to lose a delivery, to send it once more than there is reason for, or out of its order. */
export const deliveringMutants: readonly Mutant[] = [
  {
    name: 'does not record the set of a fan-out',
    edits: [{ in: 'createFanOut.announce', replace: 'await deps.writeSet($set, $signal)', with: 'undefined' }],
    byDay: { test: dispatcherTest('delivering'), title: 'completes an event that no endpoint wants' },
    budgetSeconds: 180,
  },
  {
    name: 'tries a delivery for ever that Kafka refuses',
    edits: [
      {
        in: 'createFanOut.publishing.publish',
        replace: 'await deps.endRefused($delivery, $signal)',
        with: 'while ((await offer(record, $signal)) !== undefined) await deps.clock.sleep(100)',
      },
    ],
    byDay: { test: dispatcherTest('wide-events'), title: 'a delivery that its topic refuses ends as a dead letter' },
    budgetSeconds: 240,
  },
  {
    name: 'commits a delivery before its outcome is durable',
    edits: [settledFirst('record')],
    byDay: {
      test: 'test/unit/dispatcher/outcome-writer.test.ts',
      title: 'keeps the record of a delivery that is parked until that is acknowledged',
    },
    byNight: delivering('kills', 'unseen'),
    budgetSeconds: 540,
  },
  {
    name: 'removes a waiting row before its outcome is durable',
    edits: [settledFirst('row')],
    byDay: {
      test: 'test/unit/dispatcher/outcome-writer.test.ts',
      title: 'keeps the row until the record is acknowledged',
    },
    byNight: delivering('kills', 'unseen'),
    budgetSeconds: 540,
  },
  {
    name: 'commits a delivery before its parking is durable',
    edits: [{ in: 'createOutcomeWriter.parked', insert: 'settle(job);' }],
    byDay: {
      test: 'test/unit/dispatcher/outcome-writer.test.ts',
      title: 'keeps the record of a delivery that is parked until that is acknowledged',
    },
    budgetSeconds: 60,
  },
  {
    name: 'ends a delivery before its dead letter is durable',
    edits: [
      {
        in: 'createOutcomeWriter.buryDelivery',
        insert: `settle(job);
  await deps.clock.sleep(2_000);`,
        before: 'deps.buryDelivery',
      },
    ],
    byDay: {
      test: 'test/unit/dispatcher/outcome-writer.test.ts',
      title: 'nothing is done before it is acknowledged',
    },
    byNight: { test: dispatcherTest('crashes.night'), title: 'at dispatcher.after-dead-letter', written: 'at %s (%i)' },
    budgetSeconds: 240,
  },
  {
    name: 'does not ask what an earlier owner has sent',
    edits: [{ in: 'createIntake.knownAmong', always: '$inDoubt.length === 0' }],
    byDay: { test: 'test/unit/dispatcher/intake.test.ts', title: 'is done with what an earlier owner may have had' },
    byNight: {
      test: dispatcherTest('crashes.night'),
      title: 'at dispatcher.before-commit (45)',
      written: 'at %s (%i)',
    },
    budgetSeconds: 240,
  },
  {
    name: 'forgets what it has ended',
    edits: [{ in: 'createRecentSteps.recent', replace: 'clock.monotonicMs() - keptMs', with: 'clock.monotonicMs()' }],
    byDay: {
      test: 'test/unit/dispatcher/recent-steps.test.ts',
      title: 'takes a delivery that has ended for past every step',
    },
    byNight: { test: dispatcherTest('crashes.night'), title: 'leaves a row of a delivery that its successor has' },
    budgetSeconds: 120,
  },
  {
    name: 'reads the row of a delivery that has ended',
    edits: [{ in: 'hasRowEnded', replace: 'd.id = w.delivery_id', with: 'd.id = w.delivery_id AND false' }],
    byDay: { test: dispatcherTest('waiting-table'), title: 'leaves out deliveries that have ended' },
    budgetSeconds: 90,
  },
  {
    name: 'sends to an endpoint whose breaker is open',
    edits: [
      {
        in: 'createEndpointHealth.decide',
        insert: `return { kind: 'healthy', width: maxInFlight, pausedUntilMs };`,
        before: 'breaker.probeDueForMs',
      },
    ],
    byDay: { test: dispatcherTest('sick-endpoints'), title: 'that is down costs one write for each delivery' },
    budgetSeconds: 240,
  },
  {
    name: 'reads the rows of a paused endpoint, and has room for its deliveries',
    edits: [
      { in: 'services/dispatcher/model/isPaused', returns: 'false' },
      { in: 'dueRows', replace: `WHEN ep.paused_until > $5 THEN '-infinity'`, with: '' },
    ],
    byDay: { test: dispatcherTest('pausing'), title: 'gets nothing, also after an outage' },
    budgetSeconds: 240,
  },
  {
    name: 'lets the retry window pass while the endpoint is paused',
    edits: [{ in: 'deadlineOf', replace: 'pausedBetween($pauses, $from, $to)', with: '0' }],
    byDay: { test: dispatcherTest('pausing'), title: 'has the deadlines of its deliveries moved' },
    budgetSeconds: 180,
  },
  {
    name: 'passes over the head of a key that waits',
    edits: [headPassedOver],
    byDay: { test: dispatcherTest('ordered'), title: 'is sent nothing of a key whose first fails' },
    budgetSeconds: 120,
  },
  {
    name: 'passes over the head of a key that waits, among kills and rebalances',
    edits: [headPassedOver],
    byNight: delivering('order', 'out-of-order'),
    budgetSeconds: 600,
  },
];
