import { AppError } from '../app-error.ts';
import type { Clock } from './clock.ts';

/**
 * Instants that leave the process are RFC 3339 in UTC with microseconds. Inside, they are integers of microseconds since the epoch
 * (exact in a double until the year 2255); a Date would cut them to milliseconds, and a poller that asks again with a cut
 * `updated_at` would read rows twice or never.
 */

/** `1763712000123456` → `2025-11-21T08:00:00.123456Z` */
export function formatMicros(micros: number): string {
  const ms = Math.floor(micros / 1000);
  const rest = String(micros - ms * 1000).padStart(3, '0');
  return new Date(ms).toISOString().replace('Z', `${rest}Z`);
}

const pattern = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})$/;

/** Microseconds since the epoch; undefined if the text is not an RFC 3339 date-time (section 5.6). Digits past the sixth are cut. */
export function parseRfc3339(text: string): number | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, date, time, fraction = '', zone = 'Z'] = match;
  const wholeMs = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  // Date.parse rolls 30 February over to March: an instant that does not print its own day again was never one.
  if (Number.isNaN(wholeMs) || new Date(Date.parse(`${date}T00:00:00Z`)).toISOString().slice(0, 10) !== date)
    return undefined;
  return wholeMs * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

/** An instant as Postgres gives it, in microseconds since the epoch. @throws AppError data_invalid if the text is no instant */
export function microsOf(rfc3339: string): number {
  const micros = parseRfc3339(rfc3339);
  if (micros === undefined) throw new AppError('data_invalid', `${rfc3339} is no instant`);
  return micros;
}

/** The time in whole microseconds since the epoch. The clock has milliseconds, so the last three digits are zeros. */
export const nowMicros = (clock: Pick<Clock, 'nowMs'>): number => Math.round(clock.nowMs() * 1_000);
