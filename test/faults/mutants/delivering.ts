import type { Edit, Mutant, RunCheck } from './mutant.ts';

const delivering = (scenario: 'kills' | 'order', ...seenAs: string[]): RunCheck => ({
  run: 'delivering',
  scenario,
  numbers: { deliveries: 6_000, turns: 1 },
  seenAs,
});

const dispatcherTest = (name: string): string => `test/integration/dispatcher/${name}.test.ts`;
const writer = 'services/dispatcher/send/outcome-writer.ts';
const settledFirst = (from: 'record' | 'row'): Edit => ({
  file: writer,
  find: `    await publish(outgoing(record), signal,`,
  replace: `    if (job.from === '${from}') settle(job);
    await deps.clock.sleep(1_000);
    await publish(outgoing(record), signal,`,
});

const headPassedOver: Edit = {
  file: 'services/dispatcher/ordered/ordered-intake.ts',
  find: `    if (blocked) return 'full';`,
  replace: '',
};

/** Mutants of the dispatcher: ways to lose a delivery, to send it once more than there is reason for, or out of its order. */
export const deliveringMutants: readonly Mutant[] = [
  {
    name: 'does not record the set of a fan-out',
    edits: [
      {
        file: 'services/dispatcher/fan-out/fan-out.ts',
        find: `    const refused = await deps.writeSet(set, signal);`,
        replace: `    const refused = await Promise.resolve<Error | undefined>(undefined);`,
      },
    ],
    check: { test: dispatcherTest('delivering'), title: 'completes an event that no endpoint wants' },
    budgetSeconds: 180,
  },
  {
    name: 'tries a delivery for ever that Kafka refuses',
    edits: [
      {
        file: 'services/dispatcher/fan-out/fan-out.ts',
        find: `        const refused = await offer(record, signal);
        if (refused !== undefined) await deps.endRefused(delivery, signal);`,
        replace: `        const refused = await offer(record, signal);
        if (refused !== undefined) await publish(record, signal);`,
      },
    ],
    check: { test: dispatcherTest('wide-events'), title: 'a delivery that its topic refuses ends as a dead letter' },
    budgetSeconds: 240,
  },
  {
    name: 'commits a delivery before its outcome is durable',
    edits: [settledFirst('record')],
    check: delivering('kills', 'unseen'),
    budgetSeconds: 540,
  },
  {
    name: 'removes a waiting row before its outcome is durable',
    edits: [settledFirst('row')],
    check: delivering('kills', 'unseen'),
    budgetSeconds: 540,
  },
  {
    name: 'commits a delivery before its parking is durable',
    edits: [
      {
        file: writer,
        find: `    parked: (job) => write(job, { kind: 'parked', status: 'parked' }),`,
        replace: `    parked: (job) => {
      settle(job);
      return write(job, { kind: 'parked', status: 'parked' });
    },`,
      },
    ],
    check: {
      test: 'test/unit/dispatcher/outcome-writer.test.ts',
      title: 'keeps the record of a delivery that is parked until that is acknowledged',
    },
    budgetSeconds: 60,
  },
  {
    name: 'ends a delivery before its dead letter is durable',
    edits: [
      {
        file: writer,
        find: `    await deps.buryDelivery(job.delivery, { reason, attempts }, signal);`,
        replace: `    settle(job);
    await deps.clock.sleep(2_000);
    await deps.buryDelivery(job.delivery, { reason, attempts }, signal);`,
      },
    ],
    check: { test: dispatcherTest('crashes.night'), title: 'at dispatcher.after-dead-letter', written: 'at %s (%i)' },
    budgetSeconds: 240,
  },
  {
    name: 'does not ask what an earlier owner has sent',
    edits: [
      {
        file: 'services/dispatcher/intake/intake.ts',
        find: `if (inDoubt.length === 0 ||`,
        replace: `if (inDoubt.length >= 0 ||`,
      },
    ],
    check: { test: dispatcherTest('crashes.night'), title: 'at dispatcher.before-commit (45)', written: 'at %s (%i)' },
    budgetSeconds: 240,
  },
  {
    name: 'forgets what it has ended, and takes ended deliveries on',
    edits: [
      {
        file: 'services/dispatcher/model/recent-steps.ts',
        find: `return known !== undefined && known.atMs > clock.monotonicMs() - keptMs ? known : undefined;`,
        replace: `return known !== undefined && known.atMs > clock.monotonicMs() ? known : undefined;`,
      },
      {
        file: 'services/projector/statements/outcomes.ts',
        find: `         AND \${hasNotEnded('known.status')}`,
        replace: '',
      },
      {
        file: 'services/dispatcher/waiting/row-conditions.ts',
        find: `WHERE d.tenant = w.tenant AND d.id = w.delivery_id) IS TRUE`,
        replace: `WHERE d.tenant = w.tenant AND d.id = w.delivery_id AND false) IS TRUE`,
      },
    ],
    check: delivering('kills', 'repeat-by-the-same', 'reopened-delivery', 'api-disagrees'),
    budgetSeconds: 540,
  },
  {
    name: 'sends to an endpoint whose breaker is open',
    edits: [
      {
        file: 'services/dispatcher/endpoints/endpoint-health.ts',
        find: `        const dueForMs = breaker.probeDueForMs();`,
        replace: `        return { kind: 'healthy', width: maxInFlight, pausedUntilMs };
        const dueForMs = breaker.probeDueForMs();`,
      },
    ],
    check: { test: dispatcherTest('sick-endpoints'), title: 'that is down costs one write for each delivery' },
    budgetSeconds: 240,
  },
  {
    name: 'reads the rows of a paused endpoint, and has room for its deliveries',
    edits: [
      {
        file: 'services/dispatcher/model/endpoint.ts',
        find: `(pauses.at(-1)?.until ?? 0) > now;`,
        replace: `(pauses.at(-1)?.until ?? 0) > now && now < 0;`,
      },
      {
        file: 'services/dispatcher/waiting/waiting-table.ts',
        find: `WHEN ep.paused_until > $5 THEN '-infinity'`,
        replace: ``,
      },
    ],
    check: { test: dispatcherTest('pausing'), title: 'gets nothing, also after an outage' },
    budgetSeconds: 240,
  },
  {
    name: 'lets the retry window pass while the endpoint is paused',
    edits: [
      {
        file: 'libs/contract/pauses.ts',
        find: `return Math.min(latest, deadline + pausedBetween(pauses, createdAt, at));`,
        replace: `return Math.min(latest, deadline + 0 * pausedBetween(pauses, createdAt, at));`,
      },
    ],
    check: { test: dispatcherTest('pausing'), title: 'has the deadlines of its deliveries moved' },
    budgetSeconds: 180,
  },
  {
    name: 'passes over the head of a key that waits',
    edits: [headPassedOver],
    check: { test: dispatcherTest('ordered'), title: 'is sent nothing of a key whose first fails' },
    budgetSeconds: 120,
  },
  {
    name: 'passes over the head of a key that waits, among kills and rebalances',
    edits: [headPassedOver],
    check: delivering('order', 'out-of-order'),
    budgetSeconds: 600,
  },
];
