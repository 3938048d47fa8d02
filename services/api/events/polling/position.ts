import { formatMicros, microsOf, parseRfc3339 } from '#lib/runtime';
import type { FieldErrors } from '../../http/send-problem.ts';
import type { Cursors } from './cursor.ts';

/** From where a client reads, and how it came to it. */
export interface Position {
  /** RFC 3339: the first instant that it asks for. */
  from: string;
  /** Up to where it has read, in microseconds; undefined for one that begins. */
  readTo: number | undefined;
}

/** By `updated_at_gte`, by `cursor`, or by the later of both; from the beginning without them. */
export function readPosition(
  tenant: string,
  { updated_at_gte, cursor }: { updated_at_gte?: string; cursor?: string },
  cursors: Cursors,
): { position: Position | undefined } | { errors: FieldErrors } {
  const errors: { field: string; message: string }[] = [];
  const since = updated_at_gte === undefined ? undefined : parseRfc3339(updated_at_gte);
  if (updated_at_gte !== undefined && since === undefined)
    errors.push({
      field: 'updated_at_gte',
      message: 'must be an RFC 3339 date-time such as 2026-01-31T09:30:00.123456Z (encode + as %2B)',
    });
  const after = cursor === undefined ? undefined : cursors.read(tenant, cursor);
  if (cursor !== undefined && after === undefined)
    errors.push({ field: 'cursor', message: 'is not a valid cursor of this tenant' });
  if (errors.length > 0) return { errors };
  if (after !== undefined && after > (since ?? 0))
    return { position: { from: formatMicros(after), readTo: after - 1 } };
  if (since === undefined) return { position: undefined };
  // No event is earlier or later, but some clients begin at the year 1.
  const from = formatMicros(Math.min(Math.max(since, 0), Number.MAX_SAFE_INTEGER));
  // It asks again with the last `updated_at` that it has. Nothing was ever updated in 1970: who says so begins.
  return { position: { from, readTo: since > 0 ? since : undefined } };
}

/** Whether events that a client has not read may have been removed. */
export const isExpired = ({ readTo }: Position, removedTo: string | null): boolean =>
  readTo !== undefined && removedTo !== null && readTo < microsOf(removedTo);
