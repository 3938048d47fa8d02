import { maxPageSize } from '#lib/api-client';
import type { Clock } from '#lib/clock';
import type { Api } from '../../api-calls/connect.ts';
import { CommandFailure } from '../../command-failure.ts';

interface Options {
  /** The API's parameters that choose events. */
  query: Readonly<Record<string, string>>;
  /** RFC 3339; from now on where it is absent. */
  since: string | undefined;
  clock: Clock;
}

/** Below the time that any answer is waited for, and below what most proxies let pass in silence. */
const heldSeconds = 20;
/** A request that is answered with nothing sooner was not held: the process stops, or has no place. Others are not asked as fast. */
const leastHeldMs = 1_000;

/**
 * Every change of the events that the query chooses, each once, in their order, without end: each answer's cursor stands behind what was
 * read, and the next request is held until something has changed behind it.
 *
 * This file alone knows how changes are come by.
 */
export async function* followChanges<Event>(
  api: Pick<Api, 'page'>,
  { query, since, clock }: Options,
): AsyncGenerator<Event, never> {
  const ask = async (parameters: Readonly<Record<string, string>>) => {
    const path = `/events?${new URLSearchParams({ ...query, ...parameters, limit: String(maxPageSize) }).toString()}`;
    const { items, cursor } = await api.page<Event>(path);
    if (cursor === undefined) throw new CommandFailure(1, 'the API has answered without a Hookline-Cursor');
    return { items, cursor };
  };
  // Nothing is later than this, and the cursor stands behind all that there is.
  let { items, cursor } = await ask({ updated_at_gte: since ?? '9999-12-31T23:59:59Z' });
  for (;;) {
    yield* items;
    const askedAtMs = clock.monotonicMs();
    ({ items, cursor } = await ask({ cursor, wait: String(heldSeconds) }));
    const shortMs = askedAtMs + leastHeldMs - clock.monotonicMs();
    if (items.length === 0 && shortMs > 0) await clock.sleep(shortMs);
  }
}
