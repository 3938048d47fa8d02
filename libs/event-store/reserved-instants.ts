import { formatMicros, parseRfc3339 } from '#lib/clock';
import { AppError } from '#lib/errors';
import type { ClockReading } from './take-clocks.ts';

/** The `n` instants that a reading has reserved, one microsecond apart, the first first. */
export function reservedInstants(reading: ClockReading | undefined, n: number): string[] {
  const lastMicros = parseRfc3339(reading?.last_at ?? '');
  if (lastMicros === undefined) throw new AppError('bug', `a clock reads ${reading?.last_at}`);
  return Array.from({ length: n }, (_, at) => formatMicros(lastMicros - (n - 1 - at)));
}
