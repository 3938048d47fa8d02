import { type HttpResult, sendAgain } from '#lib/api-client';
import { connectTo } from '../../api-calls/connect.ts';
import { noteNewTenant } from '../../api-calls/note-new-tenant.ts';
import { openClient } from '../../api-calls/open-client.ts';
import type { Context } from '../../context.ts';
import { readWholeNumber } from '../../options/read-values.ts';
import { printable, printLine } from '../../output/print.ts';
import { printRetry } from '../../output/print-retry.ts';
import type { Screen } from '../../output/screen.ts';
import { shownTime } from '../../output/shown-time.ts';
import type { Values } from '../../verb.ts';
import { countDeliveries, type Event } from './event-view.ts';
import { filterOf, type filterOptions } from './filter-options.ts';
import { followChanges } from './follow-changes.ts';

type TailValues = Values<typeof filterOptions> & { count: string | undefined; tenant: string | undefined };

const firstAttempts = 5;

export async function tailEvents(values: TailValues, context: Context): Promise<number> {
  const { clock } = context;
  const count = readWholeNumber('count', values.count, { min: 1, max: 1e15, otherwise: Infinity });
  const { since, query } = filterOf(values, clock.nowMs());

  await noteNewTenant(context, openClient(context, undefined), values.tenant);
  const api = connectTo(async () => openClient(context, values.tenant, { resendGet: resendOnceAnswered(context) }));
  let seen = 0;
  for await (const event of followChanges<Event>(api, { query, since, clock })) {
    printLine(context, event, values.json, line);
    seen += 1;
    if (seen >= count) break;
  }
  return 0;
}

function line({ updated_at, id, type, status, deliveries }: Event, screen: Screen): string {
  return [shownTime(updated_at, screen, { precise: true }), id, type, status, countDeliveries(deliveries)]
    .map(printable)
    .join('  ')
    .trimEnd();
}

/** Without end once the API has answered. Before that, the URL may be wrong, and a few attempts must do. */
function resendOnceAnswered(context: Context): (send: () => Promise<HttpResult>) => Promise<HttpResult> {
  const { clock, random } = context;
  let hasAnswered = false;
  return async (send) => {
    const maxAttempts = hasAnswered ? Infinity : firstAttempts;
    const sent = await sendAgain(send, { clock, random, maxAttempts, onRetry: printRetry(context) });
    hasAnswered ||= 'status' in sent.result;
    return sent.result;
  };
}
