import { type Clock, formatMicros, parseRfc3339 } from '#lib/clock';
import { type ApiClient, maxPageSize, type Page } from '../../api-client.ts';
import { CommandFailure } from '../../command.ts';

interface Options {
  /** The API's parameters that choose events. */
  query: Readonly<Record<string, string>>;
  /** RFC 3339; from now on where it is absent, as the API's clock has it. */
  since: string | undefined;
  clock: Clock;
  /** Between two looks, where there was nothing more to be read. */
  intervalMs: number;
}

/**
 * Every change of the events that the query chooses, each once, in their order, without end. `updated_at` is unique in a tenant and in
 * the order of commits: what comes a microsecond after the last change that was seen, or later, is what was not seen yet.
 *
 * This file alone knows how changes are come by.
 */
export async function* followChanges<Event extends { updated_at: string }>(
  api: Pick<ApiClient, 'page'>,
  { query, since, clock, intervalMs }: Options,
): AsyncGenerator<Event, never> {
  const changesFrom = (from: string): string => {
    const parameters = new URLSearchParams({ ...query, updated_at_gte: from, limit: String(maxPageSize) });
    return `/events?${parameters.toString()}`;
  };
  let from = since ?? (await timeOf(api, clock));
  for (;;) {
    for (let path: string | undefined = changesFrom(from); path !== undefined;) {
      const page: Page<Event> = await api.page<Event>(path);
      yield* page.items;
      const last = page.items.at(-1);
      if (last !== undefined) from = after(last);
      path = page.next;
    }
    await clock.sleep(intervalMs);
  }
}

/** What comes from the end of time is nothing, but the answer is dated. */
async function timeOf(api: Pick<ApiClient, 'page'>, clock: Clock): Promise<string> {
  const { dateMs = clock.nowMs() } = await api.page('/events?updated_at_gte=9999-12-31T23:59:59Z');
  return formatMicros(dateMs * 1_000);
}

function after({ updated_at: at }: { updated_at: string }): string {
  const micros = parseRfc3339(at);
  if (micros === undefined) throw new CommandFailure(1, `the API has an event whose updated_at is ${at}`);
  return formatMicros(micros + 1);
}
