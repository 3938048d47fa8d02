import { AppError } from '#lib/errors';
import type { Clock } from './clock.ts';
import { parseRfc3339 } from './rfc3339.ts';

/** An instant as Postgres gives it, in microseconds since the epoch. @throws AppError data_invalid if the text is no instant */
export function microsOf(rfc3339: string): number {
  const micros = parseRfc3339(rfc3339);
  if (micros === undefined) throw new AppError('data_invalid', `${rfc3339} is no instant`);
  return micros;
}

/** The time in whole microseconds since the epoch. The clock has milliseconds, so the last three digits are zeros. */
export const nowMicros = (clock: Pick<Clock, 'nowMs'>): number => Math.round(clock.nowMs() * 1_000);
