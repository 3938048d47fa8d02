import type { Screen } from './screen.ts';

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/**
 * A time of the API in the zone of the screen (UTC under `--utc`), still RFC 3339: `2026-01-31T10:30:00+01:00`. Other values stay.
 *
 * @param precise with the fraction of the second
 */
export function shownTime(value: unknown, { offsetMinutes }: Screen, { precise = false } = {}): unknown {
  if (typeof value !== 'string') return value;
  const match = instant.exec(value);
  const at = match === null ? Number.NaN : Date.parse(value);
  if (Number.isNaN(at)) return value;
  const offset = offsetMinutes(new Date(at));
  const local = new Date(at + offset * 60_000).toISOString().slice(0, 19);
  return `${local}${precise ? (match?.[1] ?? '') : ''}${zone(offset)}`;
}

function zone(offset: number): string {
  if (offset === 0) return 'Z';
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}
