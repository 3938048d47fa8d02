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

export function deliveriesEnd(ledger: Ledger): Violation[] {
  return [...ledger.deliveries.values()].flatMap((delivery) => {
    const stands = standing(delivery);
    if (!isFinal(stands.status))
      return [violation('unseen', delivery, `${stands.status} in step ${stands.step}, not ended`)];
    return [
      ...judgeSteps(delivery, stands),
      ...(stands.status === 'delivered'
        ? judgeDelivered(ledger, delivery)
        : judgeUndelivered(ledger, delivery, stands)),
    ];
  });
}

/** A crash can have a step repeated, but nothing can bring one that is higher than the last. */
function judgeSteps(delivery: DeliveryAccount, end: Standing): Violation[] {
  const after = delivery.steps.find((entry) => entry.step > end.step);
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
  // The letter comes before its record: a process that dies between the two may deliver after all.
  const [letter] = delivery.letters;
  if (letter !== undefined && !isExcused(ledger, letter.atMs))
    return [violation('two-ends', delivery, `delivered, and a letter at ${letter.position}`)];
  return [];
}

function judgeUndelivered(ledger: Ledger, delivery: DeliveryAccount, { status }: Standing): Violation[] {
  if (status === 'dead_lettered' && delivery.letters.length === 0)
    return [violation('lost-letter', delivery, 'not on dead-letters')];
  // The receiver takes it before that is known and recorded: who dies before, or waits in vain, may end it in another way.
  const arrivals = arrivalsOf(ledger, delivery);
  const delivered = deliveriesOfPair(ledger, arrivals).filter((other) => standing(other).status === 'delivered');
  // What it took of the event's other generations, it was sent by those.
  const taken = arrivals.filter(isTaken)[delivered.length];
  if (taken !== undefined && !isExcused(ledger, taken.atMs) && !delivery.steps.some(isUnanswered))
    return [violation('two-ends', delivery, `${status}, though the receiver had taken it`)];
  return [];
}

const arrivalsOf = (ledger: Ledger, { eventId, endpointId }: DeliveryAccount): readonly Arrival[] =>
  ledger.arrivalsByPair.get(pairOf(eventId, endpointId)) ?? [];

const violation = (anomaly: Violation['anomaly'], { id }: DeliveryAccount, says: string): Violation => ({
  anomaly,
  subject: { deliveryId: id },
  says,
});

/** The dispatcher can't know what became of it. */
export const isUnanswered = ({ outcome }: StepEntry): boolean => outcome === 'timeout' || outcome === 'connect';

export const isTaken = (arrival: { answered: number | null }): boolean =>
  arrival.answered !== null && arrival.answered >= 200 && arrival.answered < 300;
