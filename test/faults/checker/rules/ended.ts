/** The end of G3: each delivery ends as delivered, dead-lettered or cancelled, and the end is true. */
import { isFinal } from '#lib/contract';
import type { Violation } from '../anomalies.ts';
import type { Arrival, StepEntry } from '../history.ts';
import {
  deliveriesOfPair,
  type DeliveryAccount,
  isExcused,
  type Ledger,
  pairOf,
  type Standing,
  standing,
} from '../ledger.ts';

const by = ['dispatcher'] as const;
/** By then the tables know of an end. */
const knownAfterMs = 5_000;
/** So long after a crash a delivery may still be under way twice. */
const underWayMs = 60_000;

export function deliveriesEnd(ledger: Ledger): Violation[] {
  return [...ledger.deliveries.values()].flatMap((delivery) => {
    const stands = standing(delivery);
    if (!isFinal(stands.status))
      return [violation('unseen', delivery, `${stands.status} in step ${stands.step}, not ended`)];
    return [
      ...judgeSteps(ledger, delivery, stands),
      ...(stands.status === 'delivered'
        ? judgeDelivered(ledger, delivery)
        : judgeUndelivered(ledger, delivery, stands)),
    ];
  });
}

/**
 * A crash can repeat a step, and a delivery can be in flight twice: each continues until it learns of the other's end. Nothing else gives a
 * step higher than the last. Times are those of the dispatchers' own clocks, which faults move: an end that seems to come after the step that
 * followed it was told by such a clock, and the step's own time counts.
 */
function judgeSteps(ledger: Ledger, delivery: DeliveryAccount, end: Standing): Violation[] {
  const endedAtMs = endOf(delivery) ?? 0;
  const isExplained = ({ atMs }: StepEntry): boolean => {
    const fromMs = Math.min(endedAtMs, atMs);
    return (
      isExcused(ledger, by, fromMs, atMs) ||
      (atMs <= fromMs + knownAfterMs && isExcused(ledger, by, fromMs - underWayMs, atMs))
    );
  };
  const after = delivery.steps.find((entry) => entry.step > end.step && !isExplained(entry));
  return after === undefined
    ? []
    : [
        violation(
          'reopened-delivery',
          delivery,
          `${end.status} in step ${end.step}, ${after.status} in step ${after.step}`,
        ),
      ];
}

function judgeDelivered(ledger: Ledger, delivery: DeliveryAccount): Violation[] {
  const isObserved = ledger.endpoints.get(delivery.endpointId)?.observed === true;
  if (isObserved && !arrivalsOf(ledger, delivery).some(isTaken))
    return [violation('missing-delivery', delivery, 'recorded as delivered; the receiver never took it')];
  // The dead letter comes before its record: a process that dies between the two may deliver after all.
  const [deadLetter] = delivery.deadLetters;
  if (deadLetter !== undefined && !isExcused(ledger, by, deadLetter.atMs))
    return [violation('two-ends', delivery, `delivered, and a letter at ${deadLetter.position}`)];
  return [];
}

function judgeUndelivered(ledger: Ledger, delivery: DeliveryAccount, { status }: Standing): Violation[] {
  if (status === 'dead_lettered' && delivery.deadLetters.length === 0)
    return [violation('lost-dead-letter', delivery, 'not on dead-letters')];
  // The receiver accepts it before that is recorded: a process that dies before, or waits in vain, may end it otherwise. Arrivals after its
  // end, or of earlier generations, belong to those.
  const endedAtMs = endOf(delivery) ?? Number.POSITIVE_INFINITY;
  const arrivals = arrivalsOf(ledger, delivery).filter(({ atMs }) => atMs <= endedAtMs);
  const delivered = deliveriesOfPair(ledger, arrivals).filter(
    (other) => standing(other).status === 'delivered' && (endOf(other) ?? 0) <= endedAtMs,
  );
  const taken = arrivals.filter(isTaken)[delivered.length];
  if (taken !== undefined && !isExcused(ledger, by, taken.atMs) && !delivery.steps.some(isUnanswered))
    return [violation('two-ends', delivery, `${status}, though the receiver had taken it`)];
  return [];
}

const endOf = ({ steps }: DeliveryAccount): number | undefined => steps.find(({ status }) => isFinal(status))?.atMs;

const arrivalsOf = (ledger: Ledger, { eventId, endpointId }: DeliveryAccount): readonly Arrival[] =>
  ledger.arrivalsByPair.get(pairOf(eventId, endpointId)) ?? [];

const violation = (anomaly: Violation['anomaly'], { id }: DeliveryAccount, says: string): Violation => ({
  anomaly,
  subject: { deliveryId: id },
  says,
});

/** The dispatcher can't know the outcome. */
export const isUnanswered = ({ outcome }: { outcome: string | null }): boolean =>
  outcome === 'timeout' || outcome === 'connect';

export const isTaken = (arrival: { answered: number | null }): boolean =>
  arrival.answered !== null && arrival.answered >= 200 && arrival.answered < 300;
