/**
 * SQL: the event of this row was not erased, nor its tenant deleted. In a statement that takes no clock, it may have begun before the mark:
 * what it writes is removed again when it has ended (libs/erasure/remove-event-data.ts).
 */
export const isNotErased = (tenant: string, eventId: string): string =>
  `(SELECT true FROM erased x WHERE x.tenant = ${tenant} AND x.id IN (${eventId}, '') LIMIT 1) IS NULL`;
