import { systemClock } from '#lib/clock';
import { createApiClient } from '../../api-client.ts';
import { tenantHelp } from '../../connect.ts';
import { loadApiConfig } from '../../config.ts';
import type { HttpResult } from '../../http.ts';
import { readOptions, readWholeNumber } from '../../options.ts';
import { printable, printLine } from '../../output.ts';
import { sendAgain, tellRetry } from '../../send-again.ts';
import { countDeliveries, type Event } from './event-view.ts';
import { filterHelp, filterOf, filterOptions } from './filter-options.ts';
import { followChanges } from './follow-changes.ts';

export const help = `usage: hookline events tail [options]

A line for each change of an event, as soon as it is there and in their order: it is received, its deliveries go on,
it has ended. Goes on until Ctrl-C. Where the API is busy or away, it is asked again after a while, and no change is missed.

${filterHelp}
                               (default: from now on)
  --count N                    ends after so many changes
${tenantHelp('events')}, one a line`;

const options = { ...filterOptions, count: { type: 'string' } } as const;

const firstAttempts = 5;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readOptions(args, options);
  const count = readWholeNumber('count', values.count, { min: 1, max: 1e15, otherwise: Infinity });
  const { updated_at_gte: since, ...query } = filterOf(values, systemClock.nowMs());

  const api = createApiClient({ ...loadApiConfig(), tenant: values.tenant, persistGet: persistOnceAnswered() });
  let seen = 0;
  for await (const event of followChanges<Event>(api, { query, since, clock: systemClock })) {
    printLine(event, values.json, line);
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
