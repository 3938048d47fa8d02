import { usageFailure } from './command.ts';
import { readWholeNumber } from './options.ts';

/** Of every command that begins a replay. */
export const replayLimitOptions = { limit: { type: 'string' }, rate: { type: 'string' } } as const;

export const replayLimitHelp = `  --limit N                    at most so many
  --rate N                     at most so many a second`;

/** The API's fields. */
export const readReplayLimits = ({ limit, rate }: { limit?: string; rate?: string }): Record<string, number> => ({
  ...(limit !== undefined && { limit: readWholeNumber('limit', limit, { min: 1, max: 100_000, otherwise: 1 }) }),
  ...(rate !== undefined && { rate_per_second: readRate(rate) }),
});

function readRate(text: string): number {
  const rate = /^\d{1,5}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (rate >= 0.01 && rate <= 10_000) return rate;
  throw usageFailure(`--rate must be a number from 0.01 to 10000, not ${text}`);
}
