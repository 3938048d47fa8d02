import { usageFailure } from '../command-failure.ts';
import { text } from '../verb.ts';
import { readWholeNumber } from './read-values.ts';

/** Options of every verb that starts a replay. */
export const replayLimitOptions = {
  limit: text('N', 'replay at most this many'),
  rate: text('N', 'replay at most this many a second'),
};

/** The API's fields. */
export const readReplayLimits = (
  { limit, rate }: { limit: string | undefined; rate: string | undefined },
  max = 100_000,
): Record<string, number> => ({
  ...(limit !== undefined && { limit: readWholeNumber('limit', limit, { min: 1, max, otherwise: 1 }) }),
  ...(rate !== undefined && { rate_per_second: readRate(rate) }),
});

function readRate(text: string): number {
  const rate = /^\d{1,5}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (rate >= 0.01 && rate <= 10_000) return rate;
  throw usageFailure(`--rate must be a number from 0.01 to 10000, not ${text}`);
}
