import { usageFailure } from '../command-failure.ts';

const day = 24 * 3_600_000;

/** Milliseconds of `200ms`, `1.5s` or `2m`; of a day at most. */
export function readDuration(option: string, text: string): number {
  const [, count, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m)$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit] ?? 0);
  if (ms <= day) return ms;
  throw usageFailure(`--${option} must be a time such as 200ms, 1.5s or 2m, not ${text}`);
}
