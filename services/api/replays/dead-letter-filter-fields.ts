import { formatMicros, parseRfc3339 } from '#lib/clock';
import { type DeadLetterStage, deadLetterStages } from '#lib/contract';
import type { DeadLetterFilter } from '#lib/replay-store';
import type { FieldErrors } from '../http/send-problem.ts';
import { filterText } from '../settings/fields.ts';

/** The filter for listing and replaying dead letters. */
export interface GivenDeadLetterFilter {
  stage?: DeadLetterStage;
  endpoint_id?: string;
  event_type?: string;
  source_id?: string;
  reason?: string;
  since?: string;
  until?: string;
}

export const deadLetterFilterFields = {
  stage: { type: 'string', enum: deadLetterStages },
  endpoint_id: filterText,
  event_type: filterText,
  source_id: filterText,
  reason: filterText,
  since: { type: 'string' },
  until: { type: 'string' },
} as const;

/** @param fieldOf how an error names the field: a parameter by its name, a member of a body by its pointer */
export function readDeadLetterFilter(
  given: GivenDeadLetterFilter,
  fieldOf: (name: string) => string,
): { filter: DeadLetterFilter } | { errors: FieldErrors } {
  const since = instantOf(given.since);
  const until = instantOf(given.until);
  const bad = Object.entries({ since, until }).filter(([, instant]) => instant === null);
  if (bad.length > 0)
    return {
      errors: bad.map(([name]) => ({
        field: fieldOf(name),
        message: 'must be an RFC 3339 date-time such as 2026-01-31T09:30:00.123456Z',
      })),
    };
  return {
    filter: {
      ...(given.stage !== undefined && { stage: given.stage }),
      ...(given.endpoint_id !== undefined && { endpointId: given.endpoint_id }),
      ...(given.event_type !== undefined && { eventType: given.event_type }),
      ...(given.source_id !== undefined && { sourceId: given.source_id }),
      ...(given.reason !== undefined && { reason: given.reason }),
      ...(since && { since }),
      ...(until && { until }),
    },
  };
}

/** Undefined if it is missing, null if it is invalid. */
function instantOf(text: string | undefined): string | null | undefined {
  if (text === undefined) return undefined;
  const micros = parseRfc3339(text);
  // No dead letter is earlier or later, but some clients begin at the year 1.
  return micros === undefined ? null : formatMicros(Math.min(Math.max(micros, 0), Number.MAX_SAFE_INTEGER));
}
