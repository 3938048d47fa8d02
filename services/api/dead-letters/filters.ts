import type { deadLetterFilterQuery, Given } from '#lib/api-contract';
import type { DeadLetterFilter } from '#lib/replay-store';
import { readInstant } from '../http/filters.ts';
import type { FieldErrors } from '../http/send-problem.ts';

/** The filter for listing and replaying dead letters. */
type GivenDeadLetterFilter = Given<typeof deadLetterFilterQuery>;

/** @param fieldOf how an error names the field: a parameter by its name, a member of a body by its pointer */
export function readDeadLetterFilter(
  given: GivenDeadLetterFilter,
  fieldOf: (name: string) => string,
): { filter: DeadLetterFilter } | { errors: FieldErrors } {
  const since = given.since === undefined ? undefined : readInstant(given.since);
  const until = given.until === undefined ? undefined : readInstant(given.until);
  const errors = Object.entries({ since, until }).flatMap(([name, read]) =>
    read !== undefined && 'message' in read ? [{ field: fieldOf(name), message: read.message }] : [],
  );
  if (errors.length > 0) return { errors };
  return {
    filter: {
      ...(given.stage !== undefined && { stage: given.stage }),
      ...(given.endpoint_id !== undefined && { endpointId: given.endpoint_id }),
      ...(given.event_type !== undefined && { eventType: given.event_type }),
      ...(given.source_id !== undefined && { sourceId: given.source_id }),
      ...(given.reason !== undefined && { reason: given.reason }),
      ...(since && 'value' in since && { since: since.value }),
      ...(until && 'value' in until && { until: until.value }),
    },
  };
}
