import { usageFailure } from '../../command-failure.ts';
import type { Context } from '../../context.ts';
import { readTime } from '../../options/read-time.ts';

/** The options of each rebuild. */
export interface RebuildValues {
  since: string | undefined;
  'dry-run': boolean;
  json: boolean;
}

/** @returns in milliseconds since 1970. @throws CommandFailure of usage */
export function readSince(text: string | undefined, { clock }: Context): number | undefined {
  const time = readTime('since', text, clock.nowMs());
  if (time === undefined) return undefined;
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) throw usageFailure(`--since must be a time or an age such as 12h, not ${text}`);
  return ms;
}
