import type { Anomaly } from '../checker/anomalies.ts';
import type { Verdict } from '../checker/check.ts';
import { standing } from '../checker/ledger.ts';
import { repeatsOf } from '../checker/rules/arrived.ts';
import { changesMissedBy } from '../checker/rules/polled.ts';
import { isDone } from '../checker/rules/published.ts';
import type { SystemResult } from './result.ts';

/** Each a way in which something that was taken does not become what it should. */
const losses: readonly Anomaly[] = [
  'lost-write',
  'vanished-record',
  'unseen',
  'duplicate-of-nothing',
  'missing-delivery',
  'lost-dead-letter',
];

/** The checker's counts. */
type Counted = Omit<
  SystemResult,
  | 'repeats'
  | 'latencyMs'
  | 'timeline'
  | 'kinds'
  | 'faults'
  | 'leftOut'
  | 'restarts'
  | 'late'
  | 'seconds'
  | 'drainSeconds'
  | 'violations'
>;

export function countsOf({ ledger, tally }: Verdict): Counted {
  const { history, deliveries, eventsById, arrivalsByPair } = ledger;
  const ended = (status: string): number =>
    deliveries.values().reduce((sum, delivery) => sum + Number(standing(delivery).status === status), 0);
  const tallied = (...names: readonly Anomaly[]): number => names.reduce((sum, name) => sum + (tally[name] ?? 0), 0);
  const deadLetters = Map.groupBy(history.topics['dead-letters'], ({ stage, reason }) => `${stage}: ${reason}`);
  return {
    requests: history.sends.length,
    accepted: history.sends.filter(({ outcome }) => outcome === 'ok').length,
    published: history.publishes.filter(({ calls }) => calls.some(isDone)).length,
    events: eventsById.size,
    duplicates: ledger.duplicatesByOrigin.size,
    lost: tallied(...losses),
    secondEventIds: tallied('second-event-id', 'inconsistent-offsets'),
    secondEffects: tallied('second-effect', 'second-answer', 'false-answer'),
    deliveries: deliveries.size,
    delivered: ended('delivered'),
    deadLettered: ended('dead_lettered'),
    cancelled: ended('cancelled'),
    replayed: deliveries.values().reduce((sum, { generation }) => sum + Number(generation > 0), 0),
    deadLetters: Object.fromEntries([...deadLetters].map(([reason, all]) => [reason, all.length])),
    republishedEvents: history.topics.events.length - eventsById.size,
    rewrittenDeliveries: history.topics.deliveries.length - deliveries.size,
    repeatedDeliveries: arrivalsByPair.values().reduce((sum, ofPair) => sum + repeatsOf(ledger, ofPair).length, 0),
    changes: history.changes.length,
    pollers: Object.fromEntries(
      history.pollers.map((poller) => [
        poller.name,
        { shown: poller.items.length, missed: changesMissedBy(ledger, poller).length, failed: poller.failed },
      ]),
    ),
  };
}
