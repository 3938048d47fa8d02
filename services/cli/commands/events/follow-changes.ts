import { maxPageSize } from '#lib/api-client';
import type { Clock } from '#lib/clock';
import type { Api } from '../../api-calls/connect.ts';
import { CommandFailure } from '../../command-failure.ts';
import { type Query, queryOf } from './filter-options.ts';

interface Options {
  /** The API's parameters that choose events. */
  query: Query;
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

/**
 * Yields every change of the chosen events, each once and in order, without end: each request starts at the cursor of the answer before, and
 * is held until there is a change. This file alone knows how changes are polled.
 */
export async function* followChanges<Event>(
  api: Pick<Api, 'page'>,
  { query, since, clock, onBegin }: Options,
): AsyncGenerator<Event, never> {
  const ask = async (parameters: Readonly<Record<string, string>>) => {
    const path = `/events?${queryOf({ ...query, ...parameters, limit: String(maxPageSize) }).toString()}`;
    const { items, cursor } = await api.page<Event>(path);
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
