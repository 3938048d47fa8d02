/** Whether each delivery has ended as its endpoint gives reason for, with one dead letter if it died. */
import type { Arrival, EndpointFact, Fault } from '../checker/history.ts';
import { type DeliveryAccount, type Ledger, overlaps, standing } from '../checker/ledger.ts';
import type { Finding } from './findings.ts';
import { type Role, roleOf } from './roles.ts';

/** The endpoint's name by its id. */
export type Cast = ReadonlyMap<string, { name: string; role: Role }>;

export const castOf = (roles: readonly Role[], endpoints: Iterable<readonly [name: string, id: string]>): Cast =>
  new Map(
    [...endpoints].flatMap(([name, id]) => {
      const role = roles.find((each) => each.name === roleOf(name));
      return role === undefined ? [] : [[id, { name, role }] as const];
    }),
  );

export function judgeEnds(ledger: Ledger, cast: Cast): Finding[] {
  return [...ledger.deliveriesByEvent.values()].flatMap((deliveries) =>
    [...Map.groupBy(deliveries, ({ endpointId }) => endpointId)].flatMap(([endpointId, generations]) =>
      judgePair(generations, cast.get(endpointId)?.role),
    ),
  );
}

function judgePair(generations: readonly DeliveryAccount[], role: Role | undefined): Finding[] {
  const last = generations.reduce((newest, each) => (each.generation > newest.generation ? each : newest));
  const { status } = standing(last);
  const end = status === 'delivered' && last.generation > 0 ? 'replayed' : status;
  if (role === undefined || role.ends.some((allowed) => allowed === end)) return [];
  const says = `${last.id} to an endpoint that is ${role.name}: ${end}, ${last.deadLetters.map(({ reason }) => reason).join()}`;
  return [{ finding: 'wrong-end', says }];
}

/** A dead letter that is written again has its reason in a death, or in a partition that was lost, between the two. */
export function judgeDeadLetters(ledger: Ledger, deadLettersInTable: number): { again: number; findings: Finding[] } {
  const dead = [...ledger.deliveries.values()].filter(({ deadLetters }) => deadLetters.length > 0);
  const again = dead.flatMap((delivery) =>
    delivery.deadLetters.slice(1).map((deadLetter) => ({ delivery, deadLetter })),
  );
  const unexplained = again.filter(({ delivery, deadLetter }) => {
    const firstAtMs = Math.min(...delivery.deadLetters.map(({ atMs }) => atMs));
    return !ledger.history.faults.some(
      ({ atMs, settledAtMs, service }) =>
        service === 'dispatcher' && atMs <= deadLetter.atMs && settledAtMs >= firstAtMs - rebalanceMs,
    );
  });
  return {
    again: again.length,
    findings: [
      ...unexplained.map(({ delivery, deadLetter }): Finding => ({
        finding: 'dead-letter-twice',
        says: `${delivery.id}: ${delivery.deadLetters.map(({ position }) => position).join(', ')}; the last at ${new Date(deadLetter.atMs).toISOString()}`,
      })),
      ...(deadLettersInTable === dead.length
        ? []
        : [
            {
              finding: 'dead-letters-in-the-table',
              says: `${deadLettersInTable} rows for ${dead.length} deliveries`,
            } as const,
          ]),
    ],
  };
}

/** A member that has come back joins some seconds later. */
const rebalanceMs = 15_000;
/** Until every dispatcher has heard of it, and what was under way has ended. */
const disabledWithinMs = 5_000;

/**
 * A dispatcher that slept since, or that Postgres has not been able to tell, knows no better.
 *
 * @param endpoints as the API shows them in the end
 */
export function judgeGone(
  arrivals: readonly Arrival[],
  endpoints: readonly EndpointFact[],
  faults: readonly Fault[],
): Finding[] {
  const mayNotKnow = (sinceMs: number, atMs: number): boolean =>
    faults.some((fault) => keepsInIgnorance(fault) && overlaps(fault, sinceMs, atMs));
  return [...Map.groupBy(arrivals, ({ endpointId }) => endpointId)].flatMap(([endpointId, ofOne]): Finding[] => {
    const disabledAtMs = endpoints.find(({ id }) => id === endpointId)?.disabledAtMs ?? null;
    if (!ofOne.some(({ answered }) => answered === 410)) return [];
    if (disabledAtMs === null) return [{ finding: 'not-disabled', says: endpointId }];
    return ofOne
      .filter(({ atMs }) => atMs > disabledAtMs + disabledWithinMs && !mayNotKnow(disabledAtMs, atMs))
      .map(({ eventId, atMs }) => ({
        finding: 'sent-after-gone',
        says: `${eventId} to ${endpointId}, ${Math.round(atMs - disabledAtMs)} ms after it was disabled`,
      }));
  });
}

const keepsInIgnorance = ({ what, service }: Fault): boolean =>
  service === undefined ? what.includes('postgres') : what.startsWith('SIGSTOP') && service === 'dispatcher';
