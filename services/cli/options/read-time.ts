import { usageFailure } from '../command-failure.ts';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time for the API, which validates it; an age counts back from now. */
export function readTime(option: string, text: string | undefined, nowMs: number): string | undefined {
  if (text === undefined || /^\d{4}-/.test(text)) return text;
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw usageFailure(`--${option} must be a time or an age such as 12h, not ${text}`);
  return new Date(Math.max(0, nowMs - Number(count) * (unitMs[unit] ?? 0))).toISOString();
}

export const timeForms = '2026-01-31T09:30:00Z, or an age such as 90m, 12h, 3d';
