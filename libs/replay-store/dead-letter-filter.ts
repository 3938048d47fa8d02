import type { DeadLetterStage, DeadLetterStatus } from '#lib/contract';

/** Selects the dead letters that match every given field. Times are RFC 3339. */
export interface DeadLetterFilter {
  ids?: readonly string[];
  stage?: DeadLetterStage;
  endpointId?: string;
  eventType?: string;
  sourceId?: string;
  reason?: string;
  since?: string;
  /** Not itself. */
  until?: string;
  status?: DeadLetterStatus;
}

/** A delivery names its event, which knows the source. */
export const deadLetterTables = 'dead_letters l LEFT JOIN events e ON e.tenant = l.tenant AND e.id = l.event_id';

/** The filter as an SQL condition over `deadLetterTables`; appends its values to those of the statement. */
export function deadLetterConditions(tenant: string, filter: DeadLetterFilter, values: unknown[]): string {
  const conditions: string[] = [];
  const where = (condition: (parameter: string) => string, value: unknown): void => {
    if (value !== undefined) conditions.push(condition(`$${values.push(value)}`));
  };
  where((parameter) => `l.tenant = ${parameter}`, tenant);
  where((parameter) => `l.id = ANY (${parameter}::text[])`, filter.ids);
  where((parameter) => `l.stage = ${parameter}`, filter.stage);
  where((parameter) => `l.endpoint_id = ${parameter}`, filter.endpointId);
  where((parameter) => `coalesce(l.event_type, e.type) = ${parameter}`, filter.eventType);
  where((parameter) => `coalesce(l.source_id, e.source_id) = ${parameter}`, filter.sourceId);
  where((parameter) => `l.reason = ${parameter}`, filter.reason);
  where((parameter) => `l.at >= ${parameter}::timestamptz`, filter.since);
  where((parameter) => `l.at < ${parameter}::timestamptz`, filter.until);
  where((parameter) => `l.status = ${parameter}`, filter.status);
  return conditions.join(' AND ');
}
