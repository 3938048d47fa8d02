import type { Mutant } from './mutant.ts';

const publishEvent = 'libs/fan-out/publish-event.ts';
const matchNarrow = 'libs/fan-out/match-narrow.ts';
const matchNarrowTest = 'test/unit/fan-out/match-narrow.test.ts';

/** Events that are fanned out when they are published: ways to lose a delivery, to split a key, or to come to another set than the consumer. */
export const fanningOutMutants: readonly Mutant[] = [
  {
    name: 'takes an event for published before its deliveries are',
    edits: [
      {
        file: publishEvent,
        find: `await Promise.allSettled([sendEvent(), ...deliveries.map(send)]);`,
        replace: `await Promise.allSettled([sendEvent(), ...deliveries.map((record) => void send(record))]);`,
      },
    ],
    check: { test: 'test/unit/fan-out/publish-event.test.ts', title: 'is published once all of it is acknowledged' },
    budgetSeconds: 60,
  },
  {
    name: 'releases the key of an event that a receiver may have',
    edits: [{ file: 'services/dedup/set-aside.ts', find: `if (!mayBeDelivered) await`, replace: `await` }],
    check: { test: 'test/unit/dedup/narrow-events.test.ts', title: 'is a dead letter that keeps its key' },
    budgetSeconds: 60,
  },
  {
    name: 'matches an event against endpoints that were read long ago',
    edits: [{ file: matchNarrow, find: `    if (!isFresh(directory)) return { wide: 'stale' };`, replace: '' }],
    check: { test: matchNarrowTest, title: 'where the directory may lack an endpoint' },
    budgetSeconds: 60,
  },
  {
    name: 'believes a filter that had too few steps',
    edits: [{ file: matchNarrow, find: `    if (unjudged !== undefined) return undefined;`, replace: '' }],
    check: { test: matchNarrowTest, title: 'whose filters take more steps than one event may' },
    budgetSeconds: 60,
  },
  {
    name: 'projects an event without the set that it came with',
    edits: [
      {
        file: 'services/projector/batch-rows.ts',
        find: `        if (fact.fanOut !== null) fanOuts.push(...fanOutRows(fact.fanOut));`,
        replace: '',
      },
    ],
    check: { test: 'test/integration/projector/any-order.test.ts', title: 'whatever comes first' },
    budgetSeconds: 120,
  },
];
