import { systemClock } from '#lib/clock';
import { createApiClient } from '../../api-client.ts';
import { usageFailure } from '../../command.ts';
import { tenantHelp } from '../../connect.ts';
import { loadApiConfig } from '../../config.ts';
import type { HttpResult } from '../../http.ts';
import { readOptions, readWholeNumber } from '../../options.ts';
import { printable } from '../../output.ts';
import { readDuration } from '../../read-duration.ts';
import { sendAgain, tellRetry } from '../../send-again.ts';
import { countDeliveries, type Event } from './event-view.ts';
import { filterHelp, filterOf, filterOptions } from './filter-options.ts';
import { followChanges } from './follow-changes.ts';

export const help = `usage: hookline events tail [options]

A line for each change of an event, in their order: it is received, its deliveries go on, it has ended. Goes on until
Ctrl-C. Where the API is busy or away, it is asked again after a while, and no change is missed.

${filterHelp}
                               (default: from now on)
  --interval TIME              between two looks (default: 1s)
  --count N                    ends after so many changes
${tenantHelp('events')}, one a line`;

const options = { ...filterOptions, interval: { type: 'string', default: '1s' }, count: { type: 'string' } } as const;

/** More looks a second than this would be felt by others who ask the API. */
const minIntervalMs = 100;
const firstAttempts = 5;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, options);
  const count = readWholeNumber('count', values.count, { min: 1, max: 1e15, otherwise: Infinity });
  const intervalMs = readDuration('interval', values.interval);
  if (intervalMs < minIntervalMs) throw usageFailure(`--interval must be ${minIntervalMs}ms or more`);
  const { updated_at_gte: since, ...query } = filterOf(values, systemClock.nowMs());

  const api = createApiClient({ ...loadApiConfig(), tenant: values.tenant, persist: persistOnceAnswered() });
  let seen = 0;
  for await (const event of followChanges<Event>(api, { query, since, clock: systemClock, intervalMs })) {
    process.stdout.write(`${values.json ? JSON.stringify(event) : line(event)}\n`);
    seen += 1;
    if (seen >= count) break;
  }
  return 0;
}

function line({ updated_at, id, type, status, deliveries }: Event): string {
  return [updated_at, id, type, status, countDeliveries(deliveries)].map(printable).join('  ').trimEnd();
}

/** As long as it takes, once it has answered: before that, it may be at another address. */
function persistOnceAnswered(): (send: () => Promise<HttpResult>) => Promise<HttpResult> {
  let hasAnswered = false;
  return async (send) => {
    const maxAttempts = hasAnswered ? Infinity : firstAttempts;
    const sent = await sendAgain(send, { clock: systemClock, random: Math.random, maxAttempts, onRetry: tellRetry });
    hasAnswered ||= 'status' in sent.result;
    return sent.result;
  };
}
