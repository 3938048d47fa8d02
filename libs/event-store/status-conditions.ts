/**
 * SQL conditions on a column that has the status of a delivery or of an event, from the table of states (libs/contract/states.ts). Statuses
 * stand in the text: with a parameter in their place, Postgres may not use a partial index.
 */
import {
  type DeliveryStatus,
  type EventStatus,
  finalEventStatuses,
  finalStatuses,
  openStatuses,
  waitingStatuses,
} from '#lib/contract';

/** One status as SQL. */
export const sqlStatus = (status: DeliveryStatus | EventStatus): string => `'${status}'`;

/** Several, to stand behind IN. */
export const sqlStatuses = (statuses: readonly (DeliveryStatus | EventStatus)[]): string =>
  `(${statuses.map(sqlStatus).join(', ')})`;

export const hasEnded = (delivery: string): string => `${delivery} IN ${sqlStatuses(finalStatuses)}`;
export const hasNotEnded = (delivery: string): string => `${delivery} NOT IN ${sqlStatuses(finalStatuses)}`;
/** As partial indexes have it. */
export const isOpen = (delivery: string): string => `${delivery} IN ${sqlStatuses(openStatuses)}`;
/** It has a row of `waiting`. */
export const waits = (delivery: string): string => `${delivery} IN ${sqlStatuses(waitingStatuses)}`;
export const eventHasEnded = (event: string): string => `${event} IN ${sqlStatuses(finalEventStatuses)}`;

/**
 * SQL: the event of this row was not erased, nor its tenant deleted. In a statement that takes no clock, it may have begun before the mark:
 * what it writes is removed again when it has ended (libs/erasure/remove-event-data.ts).
 */
export const isNotErased = (tenant: string, eventId: string): string =>
  `(SELECT true FROM erased x WHERE x.tenant = ${tenant} AND x.id IN (${eventId}, '') LIMIT 1) IS NULL`;
