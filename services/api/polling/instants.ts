import { formatMicros, parseRfc3339 } from '#lib/clock';
import { AppError } from '#lib/errors';

/** Microseconds of an instant as the database gives it. */
export function microsOf(instant: string): number {
  const micros = parseRfc3339(instant);
  if (micros === undefined) throw new AppError('bug', `an instant is ${instant}`);
  return micros;
}

/** A microsecond later: no two events of a tenant have the same `updated_at`, so what comes after one begins there. */
export const afterInstant = (instant: string): string => formatMicros(microsOf(instant) + 1);
