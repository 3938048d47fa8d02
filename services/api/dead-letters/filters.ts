import type { deadLetterFilterQuery, Given } from '#lib/api-contract';
import type { DeadLetterFilter } from '#lib/replay-store';
import { readInstant } from '../http/filters.ts';
import type { FieldErrors } from '../http/send-problem.ts';

/** The filter for listing and replaying dead letters. @param fieldOf how an error names the field: a parameter by its name, a member of a body by its pointer */
export function readDeadLetterFilter(
  given: Given<typeof deadLetterFilterQuery>,
  fieldOf: (name: string) => string,
): { filter: DeadLetterFilter } | { errors: FieldErrors } {
  const { stage, endpoint_id: endpointId, event_type: eventType, source_id: sourceId, reason } = given;
  const [since, until] = [readTime(given.since), readTime(given.until)];
  const errors = Object.entries({ since, until }).flatMap(([name, { message }]) =>
    message === undefined ? [] : [{ field: fieldOf(name), message }],
  );
  if (errors.length > 0) return { errors };
  return { filter: { stage, endpointId, eventType, sourceId, reason, since: since.value, until: until.value } };
}

const readTime = (text: string | undefined): { value?: string; message?: string } =>
  text === undefined ? {} : readInstant(text);
