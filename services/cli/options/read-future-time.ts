import { usageFailure } from '../command-failure.ts';

/** A time for the API, which validates it; a duration counts from now. */
export function readFutureTime(option: string, text: string | undefined, nowMs: number): string | undefined {
  if (text === undefined || /^\d{4}-/.test(text)) return text;
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw usageFailure(`--${option} must be a time or a duration such as 12h, not ${text}`);
  return new Date(nowMs + Number(count) * (unitMs[unit] ?? 0)).toISOString();
}

export const futureTimeForms = '2026-01-31T09:30:00Z, or a duration from now such as 90m, 12h, 3d';
