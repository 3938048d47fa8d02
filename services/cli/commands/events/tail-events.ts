import { type HttpResult, sendAgain } from '#lib/api-client';
import { systemClock } from '#lib/clock';
import { connectTo } from '../../api-calls/connect.ts';
import { noteNewTenant } from '../../api-calls/note-new-tenant.ts';
import { openClient } from '../../api-calls/open-client.ts';
import { readWholeNumber } from '../../options/read-values.ts';
import { printable, printLine } from '../../output/print.ts';
import { printRetry } from '../../output/print-retry.ts';
import { shownTime } from '../../output/shown-time.ts';
import type { Values } from '../../verb.ts';
import { countDeliveries, type Event } from './event-view.ts';
import { filterOf, type filterOptions } from './filter-options.ts';
import { followChanges } from './follow-changes.ts';

type TailValues = Values<typeof filterOptions> & { count: string | undefined; tenant: string | undefined };

const firstAttempts = 5;

export async function tailEvents(values: TailValues): Promise<number> {
  const count = readWholeNumber('count', values.count, { min: 1, max: 1e15, otherwise: Infinity });
  const { since, query } = filterOf(values, systemClock.nowMs());

  await noteNewTenant(openClient(undefined), values.tenant);
  const api = connectTo(async () => openClient(values.tenant, { resendGet: resendOnceAnswered() }));
  let seen = 0;
  for await (const event of followChanges<Event>(api, { query, since, clock: systemClock })) {
    printLine(event, values.json, line);
    seen += 1;
    if (seen >= count) break;
  }
  return 0;
}

function line({ updated_at, id, type, status, deliveries }: Event): string {
  return [shownTime(updated_at, { precise: true }), id, type, status, countDeliveries(deliveries)]
    .map(printable)
    .join('  ')
    .trimEnd();
}

/** Without end once the API has answered. Before that, the URL may be wrong, and a few attempts must do. */
function resendOnceAnswered(): (send: () => Promise<HttpResult>) => Promise<HttpResult> {
  let hasAnswered = false;
  return async (send) => {
    const maxAttempts = hasAnswered ? Infinity : firstAttempts;
    const sent = await sendAgain(send, { clock: systemClock, random: Math.random, maxAttempts, onRetry: printRetry });
    hasAnswered ||= 'status' in sent.result;
    return sent.result;
  };
}
