/** G4 as the receivers saw it: their events, their bytes, signed; twice only where a fault explains it. */
import type { Violation } from '../anomalies.ts';
import type { Arrival } from '../history.ts';
import { deliveredBy, deliveriesOfPair, isExcused, type Ledger, overlaps, sentAtMs } from '../ledger.ts';
import { isTaken, isUnanswered } from './ended.ts';

export function arrivalsAreWhatWasSent(ledger: Ledger): Violation[] {
  return [
    ...ledger.history.arrivals.flatMap((arrival) => judgeArrival(ledger, arrival)),
    ...[...ledger.arrivalsByPair.values()].flatMap((arrivals) => judgeRepeats(ledger, arrivals)),
  ];
}

function judgeArrival(ledger: Ledger, arrival: Arrival): Violation[] {
  const subject = { eventId: arrival.eventId };
  const [event] = ledger.eventsById.get(arrival.eventId) ?? [];
  if (event === undefined)
    return [{ anomaly: 'phantom-delivery', subject, says: `${arrival.endpointId} got it, but it is not on events` }];
  const due = (ledger.deliveriesByEvent.get(event.id) ?? []).some(
    (delivery) => delivery.endpointId === arrival.endpointId,
  );
  const refusedBy = Object.keys(arrival.signatures).filter((verifier) => !arrival.signatures[verifier]);
  return [
    ...(due
      ? []
      : ([{ anomaly: 'phantom-delivery', subject, says: `${arrival.endpointId} is not in its set` }] as const)),
    ...(arrival.bodySha256 === event.payloadSha256
      ? []
      : ([{ anomaly: 'changed-bytes', subject, says: `${arrival.endpointId} got other bytes` }] as const)),
    ...(isStaleByClock(ledger, arrival) ? [] : refusedBy).map((verifier): Violation => ({
      anomaly: 'refused-signature',
      subject,
      says: `by ${verifier} at ${arrival.endpointId}`,
    })),
  ];
}

/** Signed by a clock that was off, and refused by a receiver that looks at the time, as it should be: it must be sent again. */
const isStaleByClock = ({ history: { faults } }: Ledger, { answered, atMs }: Arrival): boolean =>
  answered === 400 &&
  faults.some((fault) => fault.clock === true && fault.service === 'dispatcher' && overlaps(fault, atMs, atMs));

function judgeRepeats(ledger: Ledger, arrivals: readonly Arrival[]): Violation[] {
  return repeatsOf(ledger, arrivals)
    .slice(unansweredAttempts(ledger, arrivals))
    .filter(
      (arrival) =>
        !isExcused(ledger, deliveredBy(ledger, arrival.eventId), eventSentAtMs(ledger, arrival), arrival.atMs),
    )
    .map((arrival) => ({
      anomaly: 'repeat-without-fault',
      subject: { eventId: arrival.eventId },
      says: `${arrival.endpointId} had taken it already`,
    }));
}

/** A receiver that answers too late has taken what counts as not delivered: it must be sent again. */
function unansweredAttempts(ledger: Ledger, arrivals: readonly Arrival[]): number {
  return deliveriesOfPair(ledger, arrivals)
    .flatMap((delivery) => delivery.steps)
    .filter(isUnanswered).length;
}

/** Arrivals of one event at one endpoint beyond the first; a replay's new generation may bring it once more. */
export function repeatsOf(ledger: Ledger, arrivals: readonly Arrival[]): Arrival[] {
  const generations = deliveriesOfPair(ledger, arrivals).length;
  return arrivals
    .filter(isTaken)
    .toSorted((a, b) => a.atMs - b.atMs)
    .slice(Math.max(1, generations));
}

function eventSentAtMs(ledger: Ledger, { eventId }: Arrival): number {
  const [event] = ledger.eventsById.get(eventId) ?? [];
  return event === undefined ? 0 : sentAtMs(ledger, event);
}
