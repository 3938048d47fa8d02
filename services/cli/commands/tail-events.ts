import type { Client } from '#client';
import type { ErasedEvent, Event } from '#lib/api-contract';
import type { Clock } from '#lib/runtime';
import { noteNewTenant } from '../api-calls/api.ts';
import { openClient } from '../api-calls/open-client.ts';
import { resendOnceAnswered } from '../api-calls/send-again.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { queryOf, readCount, readTime } from '../options/values.ts';
import { printable, printLine, type Screen, shownTime } from '../output/print.ts';
import type { Values } from '../verb.ts';
import { countDeliveries } from './events.ts';
import { filterOf, type filterOptions } from './find-events.ts';

interface Options {
  /** The API's parameters that choose events. */
  query: Parameters<typeof queryOf>[0];
  /** RFC 3339; default: now. */
  since: string | undefined;
  clock: Clock;
  /** Called when the place to begin at is known: every later change is yielded. */
  onBegin?: () => void;
}

/** Below the client's time limit, and below the idle time-out of most proxies. */
const heldSeconds = 20;
/** An empty answer that comes sooner was not held: the process is stopping, or full. The next request waits this long. */
const leastHeldMs = 1_000;
/** As many changes as an answer has at most. */
const limit = 1_000;

/**
 * Yields every change of the chosen events, each once and in order, without end: each request starts at the cursor of the answer before, and
 * is held until there is a change. This file alone knows how changes are polled.
 */
export async function* followChanges(
  api: Pick<Client, 'page'>,
  { query, since, clock, onBegin }: Options,
): AsyncGenerator<Event | ErasedEvent, never> {
  const ask = async (parameters: Readonly<Record<string, string>>) => {
    const asked = queryOf({ ...query, ...parameters, limit: String(limit) });
    const { items, header } = await api.page('GET /v1/events', { query: asked });
    const cursor = header('hookline-cursor');
    if (cursor === undefined) throw new CommandFailure(1, 'the API answered without a Hookline-Cursor');
    return { items, cursor };
  };
  // No event is later than this, so the cursor starts after all of them.
  let { items, cursor } = await ask({ updated_at_gte: since ?? '9999-12-31T23:59:59Z' });
  onBegin?.();
  for (;;) {
    yield* items;
    const askedAtMs = clock.monotonicMs();
    ({ items, cursor } = await ask({ cursor, wait: String(heldSeconds) }));
    const shortMs = askedAtMs + leastHeldMs - clock.monotonicMs();
    if (items.length === 0 && shortMs > 0) await clock.sleep(shortMs);
  }
}

type TailValues = Values<typeof filterOptions> & { count: string | undefined; tenant: string | undefined };

export async function tailEvents(values: TailValues, context: Context): Promise<number> {
  const { clock } = context;
  const count = readCount(values.count);
  const since = readTime('since', values.since, clock.nowMs());

  await noteNewTenant(context, openClient(context, undefined), values.tenant);
  const api = openClient(context, values.tenant, { resend: resendOnceAnswered(context) });
  let seen = 0;
  for await (const event of followChanges(api, { query: filterOf(values), since, clock })) {
    printLine(context, event, values.json, line);
    seen += 1;
    if (seen >= count) break;
  }
  return 0;
}

function line(event: Event | ErasedEvent, screen: Screen): string {
  const { updated_at, id, status } = event;
  const type = 'type' in event ? event.type : '';
  return [shownTime(updated_at, screen, { precise: true }), id, type, status, countDeliveries(event)]
    .map(printable)
    .join('  ')
    .trimEnd();
}
