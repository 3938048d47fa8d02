import type { Mutant } from './mutant.ts';

const matchNarrowTest = 'test/unit/fan-out/match-narrow.test.ts';

/** Events that are fanned out when they are published: ways to lose a delivery, to split a key, or to come to another set than the consumer. */
export const fanningOutMutants: readonly Mutant[] = [
  {
    name: 'takes an event for published before its deliveries are',
    edits: [
      {
        in: 'createPublishEvent.sendTogether',
        replace: '$deliveries.map(send)',
        with: '$deliveries.map((record) => void send(record))',
      },
    ],
    byDay: { test: 'test/unit/fan-out/publish-event.test.ts', title: 'is published once all of it is acknowledged' },
    budgetSeconds: 60,
  },
  {
    name: 'releases the key of an event that a receiver may have',
    edits: [{ in: 'services/dedup/createSetAside', always: '!mayBeDelivered' }],
    byDay: { test: 'test/unit/dedup/narrow-events.test.ts', title: 'is a dead letter that keeps its key' },
    budgetSeconds: 60,
  },
  {
    name: 'matches an event against endpoints that were read long ago',
    edits: [{ in: 'createMatchNarrow.matchIfRead', always: 'isRead' }],
    byDay: { test: matchNarrowTest, title: 'where the directory may lack an endpoint' },
    budgetSeconds: 60,
  },
  {
    name: 'believes a filter that had too few steps',
    edits: [{ in: 'libs/fan-out/takersOf', never: '$unjudged !== undefined' }],
    byDay: { test: matchNarrowTest, title: 'whose filters take more steps than one event may' },
    budgetSeconds: 60,
  },
  {
    name: 'projects an event without the set that it came with',
    edits: [{ in: 'toBatchRows', never: '$fact.fanOut !== null' }],
    byDay: { test: 'test/integration/projector/any-order.test.ts', title: 'whatever comes first' },
    budgetSeconds: 120,
  },
];
