import type { Mutant } from '../support/try-mutants.ts';

const writer = 'services/dispatcher/outcome-writer.ts';
const publishOutcome = `    await publish({ topic: topics['delivery.attempts'], key: delivery.eventId, value, headers: {} }, signal);`;

/** Ways in which delivering could be wrong. */
export const mutants: readonly Mutant[] = [
  {
    name: 'commits a delivery before its outcome is durable',
    edits: [
      {
        file: writer,
        find: publishOutcome,
        replace: `    if (job.from === 'record') settle(job);
    await deps.clock.sleep(1_000);
${publishOutcome}`,
      },
    ],
    scenario: 'kills',
    seenAs: ['unseen'],
  },
  {
    name: 'removes a waiting row before its outcome is durable',
    edits: [
      {
        file: writer,
        find: publishOutcome,
        replace: `    if (job.from === 'row') settle(job);
    await deps.clock.sleep(1_000);
${publishOutcome}`,
      },
    ],
    scenario: 'kills',
    seenAs: ['unseen'],
  },
  {
    name: 'does not ask what an earlier owner has sent',
    edits: [
      {
        file: 'services/dispatcher/intake.ts',
        find: `if (inDoubt.length === 0 ||`,
        replace: `if (inDoubt.length >= 0 ||`,
      },
    ],
    scenario: 'kills',
    seenAs: ['repeat-of-the-known'],
  },
  {
    name: 'forgets what it has ended, and takes ended deliveries on',
    edits: [
      {
        file: 'services/dispatcher/recent-steps.ts',
        find: `return known !== undefined && known.atMs > clock.monotonicMs() - keptMs ? known : undefined;`,
        replace: `return known !== undefined && known.atMs > clock.monotonicMs() ? known : undefined;`,
      },
      {
        file: 'services/projector/statements/outcomes.ts',
        find: `         AND known.status NOT IN ('delivered', 'dead_lettered', 'cancelled')`,
        replace: '',
      },
      {
        file: 'services/dispatcher/row-conditions.ts',
        find: `WHERE d.tenant = w.tenant AND d.id = w.delivery_id) IS TRUE`,
        replace: `WHERE d.tenant = w.tenant AND d.id = w.delivery_id AND false) IS TRUE`,
      },
    ],
    scenario: 'kills',
    seenAs: ['repeat-by-the-same', 'reopened-delivery', 'api-disagrees'],
  },
  {
    name: 'sends the next of a key while the one before it waits',
    edits: [
      {
        file: 'services/dispatcher/ordered-intake.ts',
        find: `    if (blocked) return 'full';`,
        replace: '',
      },
    ],
    scenario: 'order',
    seenAs: ['out-of-order'],
  },
];
